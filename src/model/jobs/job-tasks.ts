import { resourceTurns, type ResourceTurn } from '../operations/resource-kinds.ts'
import { operationNames, taskNames, type OperationName } from '../operations/operation-names.ts'

// The names of all tasks.

/** Tasks whose jobs exist only in the queue, which deletes them when they are done. */
export const maintenanceTasks = [
  'certificate/order',
  'certificate/order-own',
  'mail/check-domains',
  'mail/send-notices',
  'mail/send-password-link',
  'package/apply',
  'site/read-log',
  'site/read-statistics',
  'usage/disk',
  'usage/bandwidth',
  'maintenance/purge',
  'maintenance/empty-trash',
  'maintenance/homes',
  'maintenance/snapshot',
  'maintenance/find-update',
  'maintenance/own-certificate',
  ...(Object.keys(resourceTurns) as ResourceTurn[]),
] as const

/** Pauses each `account/apply` of a rebuild; it has no job of its own. */
export const rebuildTask = 'maintenance/rebuild'

/** All tasks that can be paused. */
export const tasks = [
  ...taskNames,
  'webhook/deliver',
  'hook/run',
  ...maintenanceTasks,
  rebuildTask,
] as const
export type Task = (typeof tasks)[number]

/**
 * Operations that change rows only, without work on the machine. A refused request may not even
 * name its operation.
 */
export const withoutWork = [
  ...Object.keys(operationNames).filter(name => !tasks.some(task => task === name)),
  'request',
] as (OperationName | 'request')[]

export const isMaintenance = (task: string): boolean => maintenanceTasks.some(name => name === task)
