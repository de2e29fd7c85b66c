import { RequestJob } from '../model/request-jobs.ts'
import { Usage, UsageList } from '../model/usage.ts'
import { getUsage, listUsage } from './accounts.ts'
import { succeeded, usage } from './examples.ts'
import { getJob } from './request-jobs.ts'
import type { Operation } from './operation.ts'

/** What only is read: what accounts use, and what became of a request. */
export const readingOperations: Operation[] = [
  {
    id: 'getUsage',
    method: 'GET',
    path: '/accounts/{username}/usage',
    tag: 'Usage',
    summary: 'Get what an account uses',
    description: 'Disk now, bandwidth in the current month (UTC).',
    answers: { 200: { description: 'What it uses', schema: Usage, example: usage } },
    refusals: ['invalid', 'not_found'],
    handler: ({ pool }) => getUsage(pool),
  },
  {
    id: 'listUsage',
    method: 'GET',
    path: '/usage',
    tag: 'Usage',
    summary: 'List what all accounts use',
    description: 'Every account that the token sees, by username, in one call.',
    answers: {
      200: { description: 'What they use', schema: UsageList, example: { usage: [usage] } },
    },
    refusals: [],
    handler: ({ pool }) => listUsage(pool),
  },
  {
    id: 'getJob',
    method: 'GET',
    path: '/jobs/{id}',
    tag: 'Jobs',
    summary: 'Get what became of a request',
    description: 'Only the token that made the request sees its job.',
    answers: { 200: { description: 'The job', schema: RequestJob, example: succeeded } },
    refusals: ['invalid', 'not_found'],
    handler: ({ pool }) => getJob(pool),
  },
]
