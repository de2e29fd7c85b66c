import { z } from 'zod'
import { all, type Db, one, run } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { account, get, onAccount, type AccountRecord } from '../accounts/accounts.ts'
import type { Caller } from '../signing-in/callers.ts'
import { cronCommand } from './cron-command.ts'
import { describeExcess, isTooFrequent, refuseTooFrequent, tooMany } from './cron-limits.ts'
import { cronSchedule, describeSchedule } from './cron-schedule.ts'
import { leftOut } from '../grammar/grammar.ts'
import { crontabOf, type ReadCrontabs } from './own-crontabs.ts'
import type { HostAccount } from '../accounts/host-account.ts'
import type { Host } from '../server/host.ts'
import type { AccountSubject } from '../operations/operations.ts'

// Cron jobs of accounts: commands that run as the account's user on a schedule. Their operations
// are in the account's lane and complete with it.

/** The functions by which operations write a job's row when they start and end. */
export const cronJob = {
  ...{ ...account, find: 'find_cron_job', writeDesired: 'write_desired_cron_job' },
  about: z.object({ jobId: z.string().nullable() }),
} satisfies AccountSubject<unknown>

export const NewCronJob = z.strictObject({
  schedule: cronSchedule.describe(
    'Five fields of crontab(5) or a macro such as `@daily`, in the time zone of the server',
  ),
  command: cronCommand.describe('One line for `sh`, which runs in the home of the account'),
})

export const CronJobChange = z.strictObject({
  schedule: leftOut(NewCronJob.shape.schedule).describe('Left out, it keeps its value'),
  command: leftOut(NewCronJob.shape.command).describe('Left out, it keeps its value'),
})

const LastRun = z.strictObject({
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  exit_code: z.int().describe('255 if a signal ended it, 124 if the time limit did'),
  output: z.string().describe('The end of its output, at most 64 KiB'),
})

/** A job as answers show it. */
export const CronJob = z.strictObject({
  id: z.string(),
  schedule: z.string().describe('Five fields of numbers, or `@reboot`'),
  in_words: z.string(),
  command: z.string(),
  is_too_frequent: z
    .boolean()
    .describe('Whether it starts more often than the package, which has changed, now allows'),
  running_since: z.iso.datetime().nullable().describe('Null while no run is in progress'),
  last_run: LastRun.nullable().describe('The last finished run'),
})

export type CronJob = z.infer<typeof CronJob>

type NewJob = z.infer<typeof NewCronJob>
type OfJob = { id: string }

export const add = onAccount<NewJob>({
  name: 'cron/add',
  subject: ({ schedule, command }) => subjectOf(schedule, command),
  async decide(db, { caller, desired: { username, schedule, command }, found, id }) {
    const { package: limits } = await get(db, caller, username)
    refuseTooFrequent(schedule, limits)
    const { id: jobId, allowed } = await one<{ id: string | null; allowed: number }>(db)`
      select id, allowed
      from panel.add_cron_job(${id}, ${found.id}, ${schedule}, ${command})`
    if (jobId === null) throw tooMany(limits, allowed)
    return { accountId: found.id, params: { job_id: jobId } }
  },
})

type Change = { [Field in keyof NewJob]?: string | null | undefined }

export const set = onAccount<OfJob & Change>({
  name: 'cron/set',
  subject: ({ id, schedule, command }) => subjectOf(id, schedule ?? '', command ?? ''),
  async decide(db, { caller, desired: { username, id, schedule, command }, found }) {
    const before = await find(db, found, id)
    // A schedule that stays as it was is kept, whatever the package allows by now.
    if (schedule && schedule !== before.schedule) {
      refuseTooFrequent(schedule, (await get(db, caller, username)).package)
    }
    const change = { ...(schedule && { schedule }), ...(command && { command }) }
    if (Object.keys(change).length === 0) {
      throw new PanelError('invalid', 'Nothing to change: send schedule, command or both')
    }
    return { accountId: found.id, params: { job_id: id, ...change } }
  },
})

export const remove = onAccount<OfJob>({
  name: 'cron/remove',
  subject: ({ id }) => id,
  async decide(db, { desired: { id }, found }) {
    await find(db, found, id)
    return { accountId: found.id, params: { job_id: id } }
  },
})

export const runNow = onAccount<OfJob>({
  name: 'cron/run',
  subject: ({ id }) => id,
  async decide(db, { desired: { id }, found }) {
    if (found.state !== 'active') throw notActive()
    await find(db, found, id)
    return { accountId: found.id, params: { job_id: id } }
  },
})

// The history stores at most 200 characters of a subject.
const subjectOf = (...parts: string[]): string => parts.filter(Boolean).join(' ').slice(0, 200)

export const notActive = (): PanelError =>
  new PanelError('invalid', 'The account is not active: its cron jobs do not run')

export const unknown = (): PanelError =>
  new PanelError('cron_job_unknown', 'The account has no such cron job')

/** A job with its state; `adding` and `removing` last only moments. */
export type CronJobRow = CronJob & { state: 'adding' | 'present' | 'removing' }

type Row = {
  id: string
  schedule: string
  command: string
  interval: number
  state: CronJobRow['state']
  runningSince: Date | null
  startedAt: Date | null
  endedAt: Date | null
  exitCode: number | null
  output: string | null
}

/** Returns the jobs of an account, the oldest first. */
export async function list(db: Db, { id }: Pick<AccountRecord, 'id'>): Promise<CronJobRow[]> {
  const rows = await all<Row>(db)`
    select j.id::text, schedule, command, p.cron_interval_minutes as interval,
      running_since as "runningSince",
      last_started_at as "startedAt",
      last_ended_at as "endedAt", last_exit_code as "exitCode", last_output as output,
      case
        when added_by is not null then 'adding' when j.desired = 'absent' then 'removing'
        else 'present'
      end as state
    from panel.cron_jobs j
    join panel.accounts a on a.id = j.account_id
    join panel.packages p on p.id = a.package_id
    where j.account_id = ${id}
    order by j.id`
  return rows.map(toCronJob)
}

const toCronJob = ({ id, schedule, command, interval, state, ...run }: Row): CronJobRow => ({
  ...{ id, schedule, in_words: describeSchedule(schedule), command, state },
  is_too_frequent: isTooFrequent(schedule, interval),
  running_since: run.runningSince?.toISOString() ?? null,
  last_run:
    run.startedAt === null || run.endedAt === null
      ? null
      : {
          started_at: run.startedAt.toISOString(),
          ended_at: run.endedAt.toISOString(),
          exit_code: run.exitCode ?? 0,
          output: run.output ?? '',
        },
})

/** Returns a job without its state, as answers show it. */
export const shown = ({ state: _, ...job }: CronJobRow): CronJob => job

/** Returns the jobs of an account that the caller sees. */
export async function listFor(db: Db, caller: Caller, username: string) {
  const record = await get(db, caller, username)
  const [jobs, crontab] = await Promise.all([list(db, record), crontabOf(db, record)])
  return {
    cron_jobs: jobs.filter(({ state }) => state !== 'adding').map(shown),
    crontab,
    excess: describeExcess(jobs, record.package),
  }
}

/**
 * Returns one job that has been added.
 *
 * @throws {PanelError} `cron_job_unknown`
 */
export async function find(db: Db, of: Pick<AccountRecord, 'id'>, id: string): Promise<CronJobRow> {
  const job = (await list(db, of)).find(one => one.id === id && one.state !== 'adding')
  if (job === undefined) throw unknown()
  return job
}

/**
 * Returns a job of the account after its operation, for the answer.
 *
 * @throws {PanelError} `cron_job_unknown` if another operation has removed it in the meantime
 */
export async function findFor(db: Db, { id: accountId }: AccountRecord, id: string | null) {
  const job = (await list(db, { id: accountId })).find(one => one.id === id)
  if (job === undefined) throw unknown()
  return shown(job)
}

/** A run as the machine reports it; it has no end while it is in progress. */
export type CronRun = {
  /** The machine's name for the report. */
  report: string
  uid: number
  id: string
  startedAt: string
  endedAt?: string
  exitCode?: number
  output?: string
}

/** The functions for cron runs that the machine offers the worker (src/host/cron-jobs/). */
export type CronService = {
  /** Starts a job now without waiting for its end; the same mark never starts it twice. */
  start(account: HostAccount, id: string, mark: string): Promise<void>
  /** Lists some of the runs that have started or ended and are not confirmed yet. */
  listRuns(): CronRun[]
  /** Deletes reports that have been recorded. */
  confirm(runs: readonly CronRun[]): void
  /** Reads the accounts' own crontabs that have changed. */
  readCrontabs: ReadCrontabs
}

export const cronService = (host: Pick<Host, 'service'>): CronService =>
  host.service('cron jobs') as CronService

/** Records all runs that the machine reports. */
export async function recordRuns(db: Db, service: CronService): Promise<void> {
  for (let runs = service.listRuns(); runs.length > 0; runs = service.listRuns()) {
    await run(db)`select panel.record_cron_runs(${JSON.stringify(runs)})`
    service.confirm(runs)
  }
}
