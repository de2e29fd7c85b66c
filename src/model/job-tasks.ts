// The names of all tasks.

/** Work on an account: each is a row of `operations`. */
export const operationTasks = [
  'account/create',
  'account/suspend',
  'account/unsuspend',
  'account/change-package',
  'account/set-password',
  'account/terminate',
  'account/apply',
  'certificate/request',
  'certificate/install',
] as const

/** Work that only the queue knows, and forgets when it is done. */
export const maintenanceTasks = [
  'certificate/order',
  'package/apply',
  'usage/disk',
  'usage/bandwidth',
  'maintenance/purge',
  'maintenance/empty-trash',
] as const

/** Carries out many `account/apply` of a rebuild together; each is shown as a job of its own. */
export const rebuildTask = 'maintenance/rebuild'

/** All that can be paused. */
export const tasks = [
  ...operationTasks,
  'webhook/deliver',
  'hook/run',
  ...maintenanceTasks,
  rebuildTask,
] as const
export type Task = (typeof tasks)[number]

/** Stands as task for a request that was answered from rows alone, without work on the machine. */
export const withoutWork = 'request'

export const isMaintenance = (task: string): boolean => maintenanceTasks.some(name => name === task)
