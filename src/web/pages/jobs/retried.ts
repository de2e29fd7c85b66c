import { listRetryable } from '../../../model/jobs/job-actions.ts'
import { listRetried, RetryTime } from '../../../model/jobs/retried.ts'
import { administrators, page } from '../../page.ts'
import { JobsQuery, toFilter } from './list.ts'

const maxShown = 50

/** /jobs/retried: how far the jobs are that were retried together, and which failed again. */
export const retried = page({
  path: '/jobs/retried',
  roles: administrators,
  query: JobsQuery.extend({ at: RetryTime.default('0') }),
  async load({ pool, query }) {
    const { at, ...filter } = query
    const jobs = await listRetried(pool, at)
    const countOf = (state: string) => jobs.filter(one => one.state === state).length
    const waiting = countOf('waiting')
    // Only a retry of all jobs of a filter has more of them.
    const { possible } =
      filter.state === undefined ? { possible: 0 } : await listRetryable(pool, toFilter(filter))
    return {
      jobs: jobs.slice(0, maxShown),
      total: jobs.length,
      counts: { done: countOf('done'), failed: countOf('failed'), waiting },
      possible,
      fields: Object.fromEntries(
        Object.entries({ ...filter, state: filter.state?.join() }).filter(
          ([, value]) => value !== undefined,
        ),
      ),
    }
  },
  template: 'pages/jobs/retried',
})
