import { z } from 'zod'

// Every job: its name is the path of its file below tasks/, its payload an id and nothing else,
// and the worker whose process runs it. The table of contents of tasks/ (a test keeps it so).

const operation = z.strictObject({ operationId: z.uuid() })

export const jobs = {
  'account/create': { worker: 'worker', payload: operation },
  'account/suspend': { worker: 'worker', payload: operation },
  'account/unsuspend': { worker: 'worker', payload: operation },
} as const

export type JobName = keyof typeof jobs
export type WorkerName = 'worker' | 'courier'

/** The queue that each worker's jobs are in. */
export const queueOf: Record<WorkerName, string> = {
  worker: 'worker_queue',
  courier: 'courier_queue',
}
