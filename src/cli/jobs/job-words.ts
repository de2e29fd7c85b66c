import { z } from 'zod'
import type { JobStep } from '../../model/jobs/job-steps.ts'
import type { Job } from '../../model/jobs/jobs.ts'
import { JobId } from '../../model/jobs/jobs.ts'
import { tasks } from '../../model/jobs/job-tasks.ts'
import type { Worker } from '../../model/jobs/job-workers.ts'
import type { PausedTask } from '../../model/jobs/paused-tasks.ts'
import { duration, minute } from '../times.ts'

// Words that the commands about jobs share.

export const IdWord = z.object({ id: JobId })

export const TaskWord = z.object({ task: z.enum(tasks, `must be one of ${tasks.join(', ')}`) })

export const stateOf = ({ state, is_paused }: Job): string =>
  is_paused ? `${state}, paused` : state

export const partName = ({ name, number }: JobStep): string => name ?? `attempt ${number}`

export const partOutcome = ({ outcome, status, is_repeated }: JobStep): string => {
  if (outcome === 'answered') return `answered ${status}`
  if (outcome === 'unanswered') return 'no answer'
  return `${outcome.replace('_', ' ')}${is_repeated ? ', repeated' : ''}`
}

export const pausedWords = (paused: readonly PausedTask[]): string =>
  `paused: ${paused.map(({ task, paused_at }) => `${task} since ${minute(paused_at)}`).join(', ')}`

/** Returns what each process does now, a line for each; `down` where none is up. */
export function workerLines(workers: readonly Worker[]): [name: string, words: string][] {
  return (['worker', 'courier'] as const).flatMap(name => {
    const own = workers.filter(worker => worker.name === name)
    return own.length === 0
      ? [[name, 'down'] as [string, string]]
      : own.map((worker): [string, string] => [name, doing(worker)])
  })
}

function doing({ started_at, jobs }: Worker): string {
  const same = Map.groupBy(jobs, job =>
    [job.task, ...(job.account === null ? [] : [job.account])].join(' '),
  )
  const parts = [...same].map(([what, own]) => {
    const longest = duration(Math.max(...own.map(({ ran_ms }) => ran_ms)))
    return `${what} ${own.length === 1 ? `(${longest})` : `(${own.length}, ${longest} at most)`}`
  })
  const up = `up ${duration(Date.now() - started_at.getTime())}`
  return `${up}, ${parts.length === 0 ? 'idle' : parts.join(', ')}`
}
