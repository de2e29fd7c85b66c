import { z } from 'zod'
import type { Job } from '../../model/jobs.ts'
import { JobId } from '../../model/jobs.ts'
import { tasks } from '../../model/job-tasks.ts'
import type { PausedTask } from '../../model/paused-tasks.ts'

// Words that the commands about jobs share.

export const IdWord = z.object({ ID: JobId })

export const TaskWord = z.object({ TASK: z.enum(tasks, `must be one of ${tasks.join(', ')}`) })

/** A length of time in its largest fitting unit. */
export function duration(ms: number | null): string | null {
  if (ms === null) return null
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 119_500) return `${Math.round(ms / 1_000)} s`
  if (ms < 7_170_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_000_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} d`
}

export const stateOf = ({ state, is_paused }: Job): string =>
  is_paused ? `${state}, paused` : state

export const pausedWords = (paused: readonly PausedTask[]): string =>
  `paused: ${paused.map(({ task, paused_at }) => `${task} since ${minute(paused_at)}`).join(', ')}`

/** A moment in UTC, to the minute. */
export const minute = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ')
