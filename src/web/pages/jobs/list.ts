import { z } from 'zod'
import { JobFilter, JobId, list, states, type State } from '../../../model/jobs.ts'
import { tasks } from '../../../model/job-tasks.ts'
import { listPaused } from '../../../model/paused-tasks.ts'
import { withQuery } from '../../addresses.ts'
import { administrators, page } from '../../page.ts'
import { jobTabs } from './tabs.ts'

const perPage = 50

// What PostgreSQL takes as text: without control characters.
const words = z
  .string()
  .trim()
  .max(200)
  .refine(text => !/\p{Cc}/u.test(text), 'must have no control characters')

/** What a list of jobs may be asked for, in an address; states with commas between them. */
export const JobsQuery = z.object({
  state: z
    .string()
    .transform(text => text.split(',') as State[])
    .refine(some => some.every(one => states.includes(one)), `must be one of ${states.join(', ')}`)
    .optional(),
  task: JobFilter.shape.task,
  account: words.optional(),
  q: words.optional(),
  after: JobId.optional(),
})

/** The same as the model takes it. */
export const toFilter = ({ state, task, account, q }: z.output<typeof JobsQuery>) => ({
  ...{ states: state, task, account, search: q },
})

const groups: [label: string, states: readonly State[] | undefined][] = [
  ['All', undefined],
  ['Waiting', ['parked', 'queued']],
  ['Running', ['running', 'undoing']],
  ...(['done', 'refused', 'failed', 'cancelled'] as const).map((state): [string, State[]] => [
    state.charAt(0).toUpperCase() + state.slice(1),
    [state],
  ]),
]

/** /jobs: what was asked for, the newest first. */
export const jobList = page({
  path: '/jobs',
  roles: administrators,
  query: JobsQuery,
  async load({ pool, query }) {
    const filter = toFilter(query)
    const [found, paused] = await Promise.all([
      list(pool, { ...filter, after: query.after, limit: perPage + 1 }),
      listPaused(pool),
    ])
    const jobs = found.slice(0, perPage)
    const state = query.state?.join()
    const address = (path: string, of: readonly State[] | undefined) =>
      withQuery(path, { ...query, after: undefined, state: of?.join() })
    const isOnly = (some: readonly State[]) =>
      state !== undefined && query.state!.every(one => some.includes(one))
    return {
      jobs,
      paused,
      tasks,
      states,
      tabs: jobTabs,
      next: found.length > perPage ? jobs.at(-1)!.id : null,
      isFiltered: Boolean(state ?? query.task ?? query.account ?? query.q),
      chips: groups.map(([label, of]) => ({
        label,
        address: address('/jobs', of),
        isCurrent: state === of?.join(),
      })),
      actions: [
        ...(isOnly(['failed']) && jobs.length > 0
          ? [
              {
                label: 'Retry these',
                icon: 'rotate-ccw',
                address: address('/jobs/retry', query.state),
              },
            ]
          : []),
        ...(isOnly(['parked', 'queued']) && jobs.length > 0
          ? [{ label: 'Cancel these', icon: 'ban', address: address('/jobs/cancel', query.state) }]
          : []),
      ],
    }
  },
  template: 'pages/jobs/list',
})
