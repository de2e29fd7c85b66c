import { z } from 'zod'

// Every job: its name is the path of its file below tasks/, its payload an id and nothing else,
// and the worker whose process runs it. The table of contents of tasks/ (a test keeps it so).

const id = z.string().regex(/^[1-9][0-9]{0,18}$/)
const operation = z.strictObject({ operationId: z.uuid() })

// What the schedule gives along is of no use to the work.
const scheduled = z.object({})

export const jobs = {
  'account/create': { worker: 'worker', payload: operation },
  'account/suspend': { worker: 'worker', payload: operation },
  'account/unsuspend': { worker: 'worker', payload: operation },
  'account/change-package': { worker: 'worker', payload: operation },
  'account/set-password': { worker: 'worker', payload: operation },
  'account/terminate': { worker: 'worker', payload: operation },
  'account/apply': { worker: 'worker', payload: operation },
  'hook/run': { worker: 'worker', payload: z.strictObject({ eventId: id }) },
  'certificate/request': { worker: 'worker', payload: operation },
  'certificate/order': { worker: 'courier', payload: z.strictObject({ siteId: id }) },
  'certificate/install': { worker: 'worker', payload: operation },
  'package/apply': { worker: 'worker', payload: z.strictObject({ packageId: id }) },
  'usage/disk': { worker: 'worker', payload: scheduled },
  'usage/bandwidth': { worker: 'worker', payload: scheduled },
  'webhook/deliver': {
    worker: 'courier',
    payload: z.strictObject({ deliveryId: z.uuid() }),
  },
  // Its operations name the job.
  'maintenance/rebuild': { worker: 'worker', payload: z.strictObject({}) },
  'maintenance/purge': { worker: 'worker', payload: scheduled },
  'maintenance/empty-trash': { worker: 'worker', payload: scheduled },
} as const

export type JobName = keyof typeof jobs

/**
 * Jobs that have places of their own, this many, and none of the worker's others: hook scripts may
 * take a minute each, and an operation must find a free place meanwhile. It is few enough for the
 * smallest server, since a script may be anything.
 */
export const ownPlaces: Partial<Record<JobName, number>> = { 'hook/run': 4 }
export type WorkerName = 'worker' | 'courier'

/** The queue that each worker's jobs are in. */
export const queueOf: Record<WorkerName, string> = {
  worker: 'worker_queue',
  courier: 'courier_queue',
}
