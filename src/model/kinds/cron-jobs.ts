import { hostCronJobs } from '../cron-jobs/host-cron-jobs.ts'
import { forAll } from '../operations/operation-kind.ts'
import type { ResourceKind } from '../operations/resource-kind.ts'

/** Commands that run as the account's user on a schedule. */
export const cronJobs = {
  tables: ['cron_jobs'],
  restore: 'restore_cron_job',
  operations: {
    'cron/add': { lane: 'account', params: ['job_id'], ...forAll },
    // Changes the schedule, the command or both.
    'cron/set': { lane: 'account', params: ['job_id', 'schedule', 'command'], ...forAll },
    'cron/remove': { lane: 'account', params: ['job_id'], ...forAll, lifts: true },
    'cron/run': { lane: 'account', params: ['job_id'], ...forAll },
  },
  labels: {
    'cron/add': 'Add cron job',
    'cron/set': 'Change cron job',
    'cron/remove': 'Remove cron job',
    'cron/run': 'Run cron job now',
  },
  themes: { cron: 'Cron jobs' },
  secretRows: {
    key: 'cronJobs',
    sql: `select json_agg(
          json_build_object(
            'id', j.id::text, 'schedule', j.schedule, 'command', j.command, 'desired', j.desired)
          order by j.id)
        from cron_jobs j
        where j.account_id = a.id and j.desired <> 'reserved'`,
  },
  host: hostCronJobs,
  part: { name: 'cron jobs', isSuspended: true },
  // Records a run within a minute of its start and of its end.
  scheduled: { 'cron/record-runs': '* * * * *' },
  refusals: {
    cron_job_unknown: [404, 'the account has no such cron job'],
    too_many_cron_jobs: [400, 'the package allows fewer cron jobs'],
    cron_job_too_frequent: [400, 'the package allows starts of a cron job less often'],
  },
  events: {},
} as const satisfies ResourceKind
