import { z } from 'zod'
import { cronCommand } from './cron-command.ts'
import { cronSchedule } from './cron-schedule.ts'
import type { HostPart } from '../operations/resource-kind.ts'

// An account's cron jobs for the machine.

const CronJob = z.strictObject({
  id: z.string().regex(/^[1-9][0-9]{0,18}$/),
  // Written to a crontab unchanged.
  schedule: cronSchedule,
  command: cronCommand,
})

const shape = {
  /** Left out if the account has no cron jobs and none was just removed. */
  cronJobs: z.array(CronJob).optional(),
}

type Row = { id: string; schedule: string; command: string; desired: 'present' | 'absent' }

export type HostCronJob = z.infer<typeof CronJob>

export const hostCronJobs: HostPart<readonly Row[] | null, typeof shape> = {
  shape,
  of: rows =>
    rows === null
      ? {}
      : { cronJobs: rows.flatMap(({ desired, ...job }) => (desired === 'present' ? [job] : [])) },
}
