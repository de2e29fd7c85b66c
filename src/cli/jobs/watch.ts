import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Option } from 'clipanion'
import { z } from 'zod'
import { type Db, isOutage } from '../../db.ts'
import { read } from '../../model/jobs/job-stats.ts'
import { listWorkers } from '../../model/jobs/job-workers.ts'
import { list, type State } from '../../model/jobs/jobs.ts'
import { json } from '../foreign-text.ts'
import { wholeNumber } from '../words.ts'
import { type Filter, FilteredCommand } from './filtered-command.ts'
import { type Size, toFrame, type View } from './frame.ts'
import { openScreen } from './screen.ts'

const Words = z.object({
  interval: wholeNumber.pipe(
    z.int().min(1, 'must be at least 1').max(3_600, 'must be at most 3600'),
  ),
  times: wholeNumber.pipe(z.int().min(1, 'must be at least 1')).optional(),
})

// The statistics change slowly and cost more than the list.
const statsForMs = 5_000

export class JobsWatchCommand extends FilteredCommand {
  static override summary = 'watch jobs live'
  static override details = `
    The view refreshes every second and continues while the panel restarts; press q or Ctrl-C to
    quit. With --json, each refresh is a line.
  `
  static override examples = {
    Watch: '$0',
    'Show it once, for a script': '$0 --times 1 --json',
  }

  interval = Option.String('--interval', '1', { description: 'seconds between refreshes' })
  times = Option.String('--times', { description: 'quit after this many refreshes' })

  async act(): Promise<void> {
    const { interval, times } = this.parse(Words)
    const filter = this.filter()
    const { db } = await this.open()
    const { stdin, stdout } = this.context
    const screen = openScreen(stdin as Readable, stdout, this.cli.enableColors === true)
    let view: View | undefined
    let statsAt = 0
    try {
      for (let round = 1; !screen.ended.aborted; round += 1) {
        const isStale = Date.now() - statsAt >= statsForMs
        view = await next(db, view, isStale, filter, screen.size())
        if (isStale) statsAt = Date.now()
        screen.draw(this.json ? json(view) : toFrame(view, screen.size()))
        if (round === times) return
        const pause = { signal: screen.ended }
        await sleep(interval * 1_000, undefined, pause).catch(() => undefined)
      }
    } finally {
      screen.close()
    }
  }
}

// Running jobs are shown first, then waiting ones, then those that have ended.
const groups: State[][] = [
  ['running', 'undoing'],
  ['queued', 'blocked'],
  ['done', 'refused', 'failed', 'cancelled'],
]

// While the database is away the last view stays, with a notice.
async function next(
  db: Db,
  last: View | undefined,
  isStale: boolean,
  { states, ...by }: Filter,
  { rows: limit }: Size,
): Promise<View> {
  try {
    const known = last === undefined || isStale ? await read(db) : last.stats
    const stats = { ...known, workers: await listWorkers(db) }
    const jobs = []
    for (const group of groups) {
      const some = group.filter(state => states?.includes(state) ?? true)
      if (some.length > 0) jobs.push(...(await list(db, { ...by, states: some, limit })))
    }
    return { at: new Date(), stats, jobs: jobs.slice(0, limit), notice: null }
  } catch (error) {
    if (last === undefined || !isOutage(error)) throw error
    return { ...last, notice: `The database has been unreachable since ${last.at.toISOString()}` }
  }
}
