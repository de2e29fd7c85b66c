import { z } from 'zod'
import * as cron from '../model/cron-jobs/cron-jobs.ts'
import { EmptyBody, reading, writing, type Endpoint } from './endpoint.ts'

const job: cron.CronJob = {
  id: '7',
  schedule: '*/15 * * * *',
  in_words: 'every 15 minutes',
  command: 'php sites/alice.example/public/cron.php',
  is_too_frequent: false,
  running_since: null,
  last_run: {
    started_at: '2026-11-21T10:15:01.000Z',
    ended_at: '2026-11-21T10:15:03.200Z',
    exit_code: 0,
    output: '3 orders sent\n',
  },
}

const CronJobs = z.strictObject({
  cron_jobs: z.array(cron.CronJob),
  crontab: z.array(z.string()).describe("The lines of the account's own crontab, read-only"),
  excess: z.array(z.string()).describe('The limits of the package that the jobs exceed'),
})

const newJob: z.input<typeof cron.NewCronJob> = { schedule: job.schedule, command: job.command }

const one = { name: 'CronJob', schema: cron.CronJob, example: job }

const parameters = { cron_job: { schema: z.string().regex(/^[1-9][0-9]{0,18}$/), example: '7' } }

type Params = { username: string; cron_job: string }
const toJob = ({ username, cron_job: id }: Params) => ({ username, id })

// A caller that can set a command can run it as the account.
const permissions = ['Provisioning and hosting'] as const
const needed = ' The token must have the permission `Provisioning and hosting`.'

/** The endpoints of cron jobs. */
export const cronEndpoints: Endpoint[] = [
  reading({
    id: 'listCronJobs',
    method: 'GET',
    path: '/accounts/{username}/cron-jobs',
    tag: 'Accounts',
    permissions,
    summary: 'List the cron jobs of an account',
    description: `With the last finished run of each, reported within a minute.${needed}`,
    answers: {
      200: {
        description: 'The jobs',
        name: 'CronJobList',
        schema: CronJobs,
        example: { cron_jobs: [job], crontab: [], excess: [] },
      },
    },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      ({ caller, params }) =>
        cron.listFor(pool, caller, params.username),
  }),
  writing({
    id: 'addCronJob',
    method: 'POST',
    path: '/accounts/{username}/cron-jobs',
    tag: 'Accounts',
    permissions,
    summary: 'Add a cron job',
    description:
      "The command runs as the account, within its limits, and not while the job's previous run " +
      'is in progress. The package limits the number of jobs, how often one starts and how long ' +
      `it runs. No job of a suspended account runs.${needed}`,
    body: { name: 'NewCronJob', schema: cron.NewCronJob, example: newJob, isRequired: true },
    answers: {
      201: {
        ...{ description: 'The job was added', hasLocation: true },
        ...one,
        example: { ...job, last_run: null },
      },
    },
    refusals: ['not_found'],
    write: cron.add,
    toDesired: (params, body) => ({ ...params, ...body }),
  }),
  writing({
    id: 'changeCronJob',
    method: 'PATCH',
    path: '/accounts/{username}/cron-jobs/{cron_job}',
    parameters,
    tag: 'Accounts',
    permissions,
    summary: 'Change a cron job',
    description: `A field left out keeps its value. A run in progress is not interrupted.${needed}`,
    body: {
      name: 'CronJobChange',
      schema: cron.CronJobChange,
      example: { schedule: job.schedule },
      isRequired: true,
    },
    answers: { 200: { description: 'The job was changed', ...one } },
    refusals: ['not_found'],
    write: cron.set,
    toDesired: (params, body) => ({ ...toJob(params), ...body }),
  }),
  writing({
    id: 'removeCronJob',
    method: 'DELETE',
    path: '/accounts/{username}/cron-jobs/{cron_job}',
    parameters,
    tag: 'Accounts',
    permissions,
    summary: 'Remove a cron job',
    description: `A run in progress is not interrupted.${needed}`,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The job as it was', ...one } },
    refusals: ['not_found'],
    write: cron.remove,
    toDesired: toJob,
  }),
  writing({
    id: 'runCronJob',
    method: 'POST',
    path: '/accounts/{username}/cron-jobs/{cron_job}/run',
    parameters,
    tag: 'Accounts',
    permissions,
    summary: 'Run a cron job now',
    description:
      'The job is started, and the answer waits at most a second for its end. Refused with 400 ' +
      'unless the account is active. The job does not start while its previous run is in ' +
      `progress.${needed}`,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The job was started', ...one } },
    refusals: ['not_found'],
    write: cron.runNow,
    toDesired: toJob,
  }),
]
