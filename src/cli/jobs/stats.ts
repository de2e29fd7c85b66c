import { type Percentiles, read, type Stats, type TaskStats } from '../../model/jobs/job-stats.ts'
import { type Layout, table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { bars } from './chart.ts'
import { duration } from '../times.ts'
import { pausedWords, workerLines } from './job-words.ts'

const counts = ['TASK', 'ENDED', 'FAILED', 'A MINUTE', 'WAITING', 'OLDEST', 'RUNNING']
const times = ['TASK', 'WAITED p50', 'p90', 'p99', 'RAN p50', 'p90', 'p99']
const chartLines = 5

export class JobsStatsCommand extends DatabaseCommand {
  static override summary = 'show throughput, waiting times and run times of the last hour'
  static override details = `
    p50, p90 and p99 are percentiles: half, 90 % and 99 % of the jobs took at most this long. A
    chart shows how many jobs ended in each minute. Below it is what each worker is doing now.
  `
  static override examples = {
    'Show the last hour': '$0',
    'Show it for a script': '$0 --json',
  }

  async act(): Promise<void> {
    const { db } = await this.open()
    const stats = await read(db)
    this.show(stats, toText(stats))
    for (const [name, isUp] of Object.entries(stats.processes)) {
      if (!isUp) this.report(`the ${name} is not running`)
    }
  }
}

function toText({ total, tasks, minutes, paused, workers }: Stats): Layout {
  const rows = [...tasks, total]
  return display =>
    [
      chart(minutes.map(({ ended }) => ended)),
      table(counts, rows.map(toCounts), { isBad: row => rows[row]!.failed > 0 })(display),
      table(times, rows.map(toTimes))(display),
      table(['PROCESS', 'NOW'], workerLines(workers), { minColumns: 2 })(display),
      ...(paused.length === 0 ? [] : [`${pausedWords(paused)}\n`]),
    ].join('\n')
}

function chart(values: readonly number[]): string {
  const max = `${Math.max(...values)}`
  const labels = [max, ...Array<string>(chartLines - 2).fill(''), '0']
  const lines = bars(values, chartLines).map((bar, line) =>
    `${(labels[line] ?? '').padStart(max.length)} |${bar}`.trimEnd(),
  )
  const indent = ' '.repeat(max.length + 2)
  const scale = `${indent}an hour ago${'now'.padStart(values.length - 'an hour ago'.length)}`
  return `jobs ended in each minute\n${[...lines, scale].join('\n')}\n`
}

const toCounts = (one: TaskStats) => [
  one.task,
  one.ended,
  one.failed,
  one.per_minute,
  one.waiting,
  duration(one.oldest_waiting_ms),
  one.running,
]

const toTimes = ({ task, waited_ms, ran_ms }: TaskStats) => [
  task,
  ...toDurations(waited_ms),
  ...toDurations(ran_ms),
]

const toDurations = (times: Percentiles | null) =>
  [times?.p50, times?.p90, times?.p99].map(ms => duration(ms ?? null))
