import { z } from 'zod'
import { queryNumber } from '../model/grammar/grammar.ts'
import * as requestJobs from '../model/jobs/request-jobs.ts'
import * as usages from '../model/accounts/usage.ts'
import { reading, type Endpoint } from './endpoint.ts'
import { jobOfAccount, succeeded, usage } from './examples.ts'

const LatestQuery = z.strictObject({
  limit: queryNumber(1, 100, 20).describe('The maximum number to return'),
})

/** Endpoints that only read: the usage of accounts, and the jobs of requests. */
export const readingEndpoints: Endpoint[] = [
  reading({
    id: 'getUsage',
    method: 'GET',
    path: '/accounts/{username}/usage',
    tag: 'Usage',
    summary: 'Get the usage of an account',
    description: 'Disk now, bandwidth in the current month (UTC).',
    answers: { 200: { description: 'The usage', schema: usages.Usage, example: usage } },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      ({ caller, params }) =>
        usages.get(pool, caller, params.username),
  }),
  reading({
    id: 'listUsage',
    method: 'GET',
    path: '/usage',
    tag: 'Usage',
    summary: 'List the usage of all accounts',
    description: 'Every account that the token sees, sorted by username, in one call.',
    answers: {
      200: {
        description: 'The usage of each account',
        schema: usages.UsageList,
        example: { usage: [usage] },
      },
    },
    refusals: [],
    read:
      ({ pool }) =>
      async ({ caller }) => ({ usage: await usages.list(pool, caller) }),
  }),
  reading({
    id: 'listAccountJobs',
    method: 'GET',
    path: '/accounts/{username}/jobs',
    tag: 'Jobs',
    summary: 'List the jobs of an account',
    description: "Newest first, of all callers; only a request's own token sees its job's answer.",
    query: LatestQuery,
    answers: {
      200: {
        description: 'The jobs',
        schema: requestJobs.AccountJobList,
        example: { jobs: [jobOfAccount] },
      },
    },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      async ({ caller, params, query }) => ({
        jobs: await requestJobs.listOf(pool, caller, params.username, query.limit),
      }),
  }),
  reading({
    id: 'getJob',
    method: 'GET',
    path: '/jobs/{id}',
    tag: 'Jobs',
    summary: 'Get the job of a request',
    description: 'Only the token that made the request sees its job.',
    answers: {
      200: { description: 'The job', schema: requestJobs.RequestJob, example: succeeded },
    },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      ({ caller, params, keys }) =>
        requestJobs.get(pool, caller, params.id, keys.unseal),
  }),
]
