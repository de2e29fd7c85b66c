import { z } from 'zod'
import { JobFilter, JobId, kinds, list, states, type State } from '../../../model/jobs/jobs.ts'
import { tasks } from '../../../model/jobs/job-tasks.ts'
import { listPaused } from '../../../model/jobs/paused-tasks.ts'
import { withQuery } from '../../addresses.ts'
import { administrators, page } from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'
import { capital, stateLabel } from '../../words.ts'
import { jobTabs } from './tabs.ts'

const perPage = 50

// Text that PostgreSQL accepts: without control characters.
const words = z
  .string()
  .trim()
  .max(200)
  .refine(text => !/\p{Cc}/u.test(text), { error: () => t('jobs.mustHaveNoControl') })

const hourMs = 3_600_000
const agesMs = { '1h': hourMs, '24h': 24 * hourMs, '7d': 7 * 24 * hourMs }
type Age = keyof typeof agesMs
const ages = Object.keys(agesMs) as Age[]
const ageLabels: Record<Age, PlainKey> = {
  '1h': 'jobs.lastHour',
  '24h': 'jobs.last24Hours',
  '7d': 'jobs.last7Days',
}

const kindLabels: Record<(typeof kinds)[number], PlainKey> = {
  request: 'jobs.requests',
  delivery: 'jobs.deliveries',
  'hook run': 'jobs.hookRuns',
  maintenance: 'jobs.maintenance',
}

/** The query of a list of jobs, in an address; states with commas between them. */
export const JobsQuery = z.object({
  state: z
    .string()
    .transform(text => text.split(',') as State[])
    .refine(some => some.every(one => states.includes(one)), {
      error: () => t('jobs.mustOneStates', { states: states.join(', ') }),
    })
    .optional(),
  task: JobFilter.shape.task,
  kind: JobFilter.shape.kind,
  /** The longest time since they ended. */
  ended: z.enum(ages, { error: () => t('jobs.mustOneAges', { ages: ages.join(', ') }) }).optional(),
  account: words.optional(),
  q: words.optional(),
  after: JobId.optional(),
})

/** The same as the model takes it. */
export const toFilter = ({ state, task, kind, ended, account, q }: z.output<typeof JobsQuery>) => ({
  ...{ states: state, task, kind, account, search: q },
  endedSince: ended && new Date(Date.now() - agesMs[ended]),
})

const groups: [label: () => string, states: readonly State[] | undefined][] = [
  [() => t('jobs.all'), undefined],
  [() => t('jobs.waiting'), ['blocked', 'queued']],
  [() => t('jobs.running'), ['running', 'undoing']],
  ...(['done', 'refused', 'failed', 'cancelled'] as const).map((state): [() => string, State[]] => [
    () => capital(stateLabel(state)),
    [state],
  ]),
]

/** /jobs: what was asked for, the newest first. */
export const jobList = page({
  path: '/jobs',
  roles: administrators,
  navigation: { label: 'jobs.jobs', icon: 'list-checks' },
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
      kinds: kinds.map(value => ({ value, label: t(kindLabels[value]) })),
      ages: ages.map(value => ({ value, label: t(ageLabels[value]) })),
      tabs: jobTabs(),
      next: found.length > perPage ? jobs.at(-1)!.id : null,
      isFiltered: Object.entries(query).some(([name, value]) => name !== 'after' && value),
      chips: groups.map(([label, of]) => ({
        label: label(),
        address: address('/jobs', of),
        isCurrent: state === of?.join(),
      })),
      actions: [
        ...(isOnly(['failed']) && jobs.length > 0
          ? [
              {
                label: t('jobs.retryTheseJobs'),
                icon: 'rotate-ccw',
                address: address('/jobs/retry', query.state),
              },
            ]
          : []),
        ...(isOnly(['blocked', 'queued']) && jobs.length > 0
          ? [
              {
                label: t('jobs.cancelTheseJobs'),
                icon: 'ban',
                address: address('/jobs/cancel', query.state),
              },
            ]
          : []),
      ],
    }
  },
  template: 'pages/jobs/list',
})
