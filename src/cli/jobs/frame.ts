import type { Stats } from '../../model/jobs/job-stats.ts'
import type { Job } from '../../model/jobs/jobs.ts'
import { bars } from './chart.ts'
import { oneLine } from '../foreign-text.ts'
import { cut } from '../text-width.ts'
import { duration } from '../times.ts'
import { jobTable } from './job-table.ts'
import { pausedWords, workerLines } from './job-words.ts'

// The live view as lines of text, made from data alone.

export type View = {
  at: Date
  stats: Stats
  /** Running ones first, then waiting ones, then the last that ended. */
  jobs: readonly Job[]
  /** Shown above, such as that the database is away. */
  notice: string | null
}

export type Size = { columns: number; rows: number; hasColors: boolean }

/** Returns the view, cut to the size. */
export function toFrame(
  { at, stats, jobs, notice }: View,
  { columns, rows, hasColors }: Size,
): string[] {
  const { total, paused, minutes, workers } = stats
  const oldest = duration(total.oldest_waiting_ms)
  const head = [
    `panel jobs  ${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    ...(notice === null ? [] : [notice]),
    ...(paused.length === 0 ? [] : [pausedWords(paused)]),
    `running ${total.running}   waiting ${total.waiting}` +
      (oldest === null ? '' : ` (${oldest} at most)`) +
      `   last hour ${total.ended}, failed ${total.failed}`,
    `waited ${times(total.waited_ms)}   ran ${times(total.ran_ms)}`,
    `last hour |${bars(latest(minutes, columns - 12), 1)}|`,
    ...workerLines(workers).map(([name, words]) => `${name.padEnd(7)}  ${words}`),
    '',
  ].map(line => cut(oneLine(line), columns))
  const body = jobTable(jobs)({ columns, hasColors, now: at }).trimEnd().split('\n')
  const lines = [...head, ...body.map(line => cut(line, columns) + (hasColors ? reset : ''))]
  return lines.slice(0, rows)
}

// Where a line was cut, its own end of the colour was cut, too.
const reset = '\u001b[0m'

const latest = (minutes: Stats['minutes'], count: number): number[] =>
  minutes.slice(-Math.max(1, count)).map(({ ended }) => ended)

const times = (percentiles: Stats['total']['ran_ms']): string =>
  percentiles === null
    ? '-'
    : `${duration(percentiles.p50)} (p50), ${duration(percentiles.p99)} (p99)`
