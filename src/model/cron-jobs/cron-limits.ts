import { PanelError } from '../../errors.ts'
import type { AccountRecord } from '../accounts/accounts.ts'
import { shortestInterval } from './cron-interval.ts'

// The package's limits on cron jobs. A job that was added under larger limits is kept, and named.

type Package = Pick<AccountRecord['package'], 'name' | 'maxCronJobs' | 'cronIntervalMinutes'>

const counted = (count: number, thing: string): string =>
  count === 1 ? `1 ${thing}` : `${count} ${thing}s`

/** Returns how often the package lets a job start: "every 5 minutes". */
const everyMinutes = (minutes: number): string =>
  minutes === 1 ? 'every minute' : `every ${minutes} minutes`

/** Returns whether a stored schedule starts more often than every so many minutes. */
export const isTooFrequent = (schedule: string, minutes: number): boolean =>
  shortestInterval(schedule) < minutes

/**
 * Refuses a stored schedule that starts more often than the package allows.
 *
 * @throws {PanelError} `cron_job_too_frequent`
 */
export function refuseTooFrequent(schedule: string, allowed: Package): void {
  const { name, cronIntervalMinutes: minutes } = allowed
  if (!isTooFrequent(schedule, minutes)) return
  const own = counted(shortestInterval(schedule), 'minute')
  const words =
    `schedule starts the job ${own} apart; ` +
    `package ${name} allows a start ${everyMinutes(minutes)} at most`
  throw new PanelError('cron_job_too_frequent', words, { field: 'schedule' })
}

/** Builds the refusal of one more job. */
export function tooMany({ name }: Package, allowed: number): PanelError {
  const has = allowed === 0 ? '' : ', and the account already has that many'
  const words = `package ${name} allows ${counted(allowed, 'cron job')}${has}`
  return new PanelError('too_many_cron_jobs', words)
}

/** Describes how often the package lets a job start and how long a run may take, as sentences. */
export function describeLimits(limits: Package & { cronRunMinutes: number }): string[] {
  const { cronIntervalMinutes: minutes, cronRunMinutes: longest } = limits
  const often = minutes > 1 && `It may start ${everyMinutes(minutes)} at most.`
  const long = `A run is ended after ${describeMinutes(longest)}.`
  return [often, long].filter(sentence => sentence !== false)
}

const describeMinutes = (minutes: number): string =>
  minutes % 60 === 0 ? counted(minutes / 60, 'hour') : counted(minutes, 'minute')

/** Returns in which ways the jobs of an account exceed the limits of its package, as sentences. */
export function describeExcess(
  jobs: readonly { is_too_frequent: boolean }[],
  { name, maxCronJobs: max, cronIntervalMinutes: minutes }: Package,
): string[] {
  const frequent = jobs.filter(job => job.is_too_frequent).length
  const many =
    jobs.length > max &&
    `Package ${name} allows ${counted(max, 'cron job')}, and the account has ${jobs.length}.`
  const often =
    frequent > 0 &&
    `Package ${name} allows a start ${everyMinutes(minutes)} at most, and ` +
      `${frequent === 1 ? '1 job starts' : `${frequent} jobs start`} more often.`
  return [many, often]
    .filter(sentence => sentence !== false)
    .map(sentence => `${sentence} They are kept and run; remove or change them.`)
}
