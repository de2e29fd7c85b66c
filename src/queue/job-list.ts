import { z } from 'zod'
import { resourceTurns, type ResourceTurn } from '../model/operations/resource-kinds.ts'
import { taskNames, type TaskName } from '../model/operations/operation-names.ts'

// The list of all jobs: each name is the path of its file below tasks/, with the schema of its
// payload, an id and nothing else, and the worker that runs it. A test compares the list with
// tasks/.

const id = z.string().regex(/^[1-9][0-9]{0,18}$/)
const operation = { worker: 'worker', payload: z.strictObject({ operationId: z.uuid() }) } as const

const operations = Object.fromEntries(taskNames.map(name => [name, operation])) as Record<
  TaskName,
  typeof operation
>

// The schedule's own payload, which the work does not use.
const scheduled = z.object({})

const ofResources = Object.fromEntries(
  Object.keys(resourceTurns).map(name => [name, { worker: 'worker', payload: scheduled }]),
) as Record<ResourceTurn, { worker: 'worker'; payload: typeof scheduled }>

export const jobs = {
  ...operations,
  ...ofResources,
  'hook/run': { worker: 'worker', payload: z.strictObject({ eventId: id }) },
  'certificate/order': { worker: 'courier', payload: z.strictObject({ siteId: id }) },
  'certificate/order-own': { worker: 'courier', payload: z.strictObject({}) },
  'site/read-log': { worker: 'worker', payload: z.strictObject({ siteId: id }) },
  'site/read-statistics': { worker: 'worker', payload: z.strictObject({ siteId: id }) },
  'package/apply': { worker: 'worker', payload: z.strictObject({ packageId: id }) },
  'usage/disk': { worker: 'worker', payload: scheduled },
  'usage/bandwidth': { worker: 'worker', payload: scheduled },
  'webhook/deliver': {
    worker: 'courier',
    payload: z.strictObject({ deliveryId: z.uuid() }),
  },
  'mail/check-domains': { worker: 'courier', payload: scheduled },
  'mail/send-notices': { worker: 'courier', payload: scheduled },
  'mail/send-password-link': { worker: 'courier', payload: z.strictObject({ requestId: id }) },
  'maintenance/purge': { worker: 'worker', payload: scheduled },
  'maintenance/empty-trash': { worker: 'worker', payload: scheduled },
  // Limited to one account on request.
  'maintenance/homes': {
    worker: 'worker',
    payload: z.object({ accountId: id.optional() }),
  },
  'maintenance/snapshot': { worker: 'worker', payload: scheduled },
  'maintenance/find-update': { worker: 'courier', payload: scheduled },
  'maintenance/own-certificate': { worker: 'worker', payload: scheduled },
} as const

export type JobName = keyof typeof jobs

/**
 * Jobs with this many slots of their own, apart from the worker's others: hook scripts may take a
 * minute each, and an operation must find a free slot meanwhile. It is few enough for the smallest
 * server, since a script may do anything.
 */
export const ownSlots: Partial<Record<JobName, number>> = { 'hook/run': 4 }
export type WorkerName = 'worker' | 'courier'

/** The queue with the jobs of each worker. */
export const queueOf: Record<WorkerName, string> = {
  worker: 'worker_queue',
  courier: 'courier_queue',
}
