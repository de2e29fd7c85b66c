import type { Stats } from '../../model/job-stats.ts'
import type { Job } from '../../model/jobs.ts'
import { bars } from './chart.ts'
import { fit } from './fit.ts'
import { duration, pausedWords, stateOf } from './job-words.ts'

// The live view as lines of text, made from data alone.

export type View = {
  at: Date
  stats: Stats
  /** Running ones first, then waiting ones, then the last that ended. */
  jobs: readonly Job[]
  /** Shown above, such as that the database is away. */
  notice: string | null
}

export type Size = { columns: number; rows: number }

/** The view, cut to the size. */
export function toFrame({ at, stats, jobs, notice }: View, { columns, rows }: Size): string[] {
  const { total, processes, paused, minutes } = stats
  const down = Object.entries(processes).flatMap(([name, isUp]) => (isUp ? [] : [name]))
  const oldest = duration(total.oldest_waiting_ms)
  const head = [
    `panel jobs  ${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    ...(notice === null ? [] : [notice]),
    ...(down.length === 0 ? [] : [`not running: ${down.join(', ')}`]),
    ...(paused.length === 0 ? [] : [pausedWords(paused)]),
    `running ${total.running}   waiting ${total.waiting}` +
      (oldest === null ? '' : ` (${oldest} at most)`) +
      `   last hour ${total.ended}, failed ${total.failed}`,
    `waited ${times(total.waited_ms)}   ran ${times(total.ran_ms)}`,
    `last hour |${bars(latest(minutes, columns - 12), 1)}|`,
    '',
    toLine(['STATE', 'TASK', 'ACCOUNT', 'TRY', 'WAITED', 'RAN', 'ERROR'], columns),
  ]
  const body = jobs.map(job =>
    toLine(
      [
        stateOf(job),
        job.task,
        job.account ?? '-',
        `${job.tries}`,
        duration(job.waited_ms) ?? '-',
        duration(job.ran_ms) ?? '-',
        job.error ?? '',
      ],
      columns,
    ),
  )
  return [...head, ...body].slice(0, rows).map(line => fit(line, columns).trimEnd())
}

const widths = [14, 22, 13, 3, 7, 7]

// The last column takes the rest of the line.
function toLine(cells: readonly string[], columns: number): string {
  const left = widths.map((width, place) => fit(cells[place] ?? '', width)).join(' ')
  const rest = columns - left.length - 1
  return rest > 0 ? `${left} ${fit(cells.at(-1) ?? '', rest)}` : left
}

const latest = (minutes: Stats['minutes'], count: number): number[] =>
  minutes.slice(-Math.max(1, count)).map(({ ended }) => ended)

const times = (percentiles: Stats['total']['ran_ms']): string =>
  percentiles === null
    ? '-'
    : `${duration(percentiles.p50)} (p50), ${duration(percentiles.p99)} (p99)`
