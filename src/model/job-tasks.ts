// What kinds of work there are, by the names of their tasks.

/** Work on an account: a row of `operations` stands for each. */
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

/** Work for which no other row stands: the queue knows it alone, and forgets it when it is done. */
export const maintenanceTasks = [
  'certificate/order',
  'package/apply',
  'usage/disk',
  'usage/bandwidth',
  'maintenance/purge',
  'maintenance/empty-trash',
] as const

/** Carries out many `account/apply` of a rebuild as one; each of them is seen as a job. */
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

/** What a request shows as that was answered by rows alone, without work on the machine. */
export const withoutWork = 'request'

export const isMaintenance = (task: string): boolean => maintenanceTasks.some(name => name === task)
