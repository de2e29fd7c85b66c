import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'clipanion'
import { z } from 'zod'
import { type Db, isOutage } from '../../db.ts'
import { read } from '../../model/job-stats.ts'
import { list } from '../../model/jobs.ts'
import { DatabaseCommand } from '../database-command.ts'
import { json } from '../foreign-text.ts'
import { parseWords, wholeNumber } from '../words.ts'
import { type Size, toFrame, type View } from './frame.ts'
import { openScreen } from './screen.ts'

const Words = z.object({
  '--interval': wholeNumber.pipe(
    z.int().min(1, 'must be at least 1').max(3_600, 'must be at most 3600'),
  ),
  '--times': wholeNumber.pipe(z.int().min(1, 'must be at least 1')).optional(),
})

// The statistics change slowly and cost more than the list.
const statsForMs = 5_000

export class JobsWatchCommand extends DatabaseCommand {
  static override paths = [['jobs', 'watch']]
  static override usage = Command.Usage({
    category: 'Jobs',
    description: 'watch jobs as they come and go',
    details: `
      It looks every second and goes on while the panel restarts; q or Ctrl-C ends it. With --json
      each look is a line.
    `,
    examples: [
      ['Watch', '$0 jobs watch'],
      ['Look once for a script', '$0 jobs watch --times 1 --json'],
    ],
  })

  interval = Option.String('--interval', '1', { description: 'seconds between two looks' })
  times = Option.String('--times', { description: 'end after so many looks' })

  async act(): Promise<void> {
    const words = parseWords(Words, { '--interval': this.interval, '--times': this.times })
    const { db } = await this.open()
    const screen = openScreen(this.context.stdin as Readable, this.context.stdout)
    let view: View | undefined
    let statsAt = 0
    try {
      for (let look = 1; !screen.ended.aborted; look += 1) {
        const isStale = Date.now() - statsAt >= statsForMs
        view = await next(db, view, isStale, screen.size())
        if (isStale) statsAt = Date.now()
        screen.draw(this.json ? json(view) : toFrame(view, screen.size()))
        if (look === words['--times']) return
        const pause = { signal: screen.ended }
        await sleep(words['--interval'] * 1_000, undefined, pause).catch(() => undefined)
      }
    } finally {
      screen.close()
    }
  }
}

// While the database is away the last view stays, with a notice.
async function next(
  db: Db,
  last: View | undefined,
  isStale: boolean,
  { rows: limit }: Size,
): Promise<View> {
  try {
    const stats = last === undefined || isStale ? await read(db) : last.stats
    const jobs = [
      ...(await list(db, { states: ['running', 'undoing'], limit })),
      ...(await list(db, { states: ['queued', 'parked'], limit })),
      ...(await list(db, { states: ['done', 'refused', 'failed', 'cancelled'], limit })),
    ]
    return { at: new Date(), stats, jobs: jobs.slice(0, limit), notice: null }
  } catch (error) {
    if (last === undefined || !isOutage(error)) throw error
    return { ...last, notice: `The database is away since ${last.at.toISOString()}` }
  }
}
