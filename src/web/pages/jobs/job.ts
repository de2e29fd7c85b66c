import { z } from 'zod'
import { PanelError } from '../../../errors.ts'
import { get, type Job, JobId } from '../../../model/jobs/jobs.ts'
import {
  getRequest,
  type JobStep,
  listEarlierStarts,
  listSteps,
} from '../../../model/jobs/job-steps.ts'
import { localPath } from '../../addresses.ts'
import { administrators, goTo, page } from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'

/**
 * /jobs/ID for administrators: a job of any kind, with its steps as they happen. A delivery has a
 * page of its own.
 */
export const job = page({
  path: '/jobs/:id',
  roles: administrators,
  query: z.object({ then: z.string().optional() }),
  async load({ pool, params, query, isLive }) {
    const id = JobId.safeParse(params.id)
    if (!id.success) throw new PanelError('job_unknown', t('jobs.unknownJob'))
    const found = await get(pool, id.data)
    if (found.kind === 'delivery') return goTo(`/hooks/deliveries/${found.id}`, { isLive })
    const then = localPath(query.then)
    if (found.state === 'done' && then !== undefined) return goTo(then, { isLive })
    const [steps, earlier, request] = await Promise.all([
      listSteps(pool, found),
      found.kind === 'request' ? listEarlierStarts(pool, found) : [],
      found.kind === 'request' ? getRequest(pool, found) : null,
    ])
    return {
      job: found,
      request,
      isOpen: isOpen(found),
      starts: [
        ...earlier.map(({ number, error, steps }) => ({
          title: t('jobs.startValue', { value: number }),
          error,
          ...drawn(steps),
        })),
        {
          title: earlier.length === 0 ? t(titles[found.kind]) : t('jobs.lastStart'),
          ...drawn(steps),
        },
      ],
      actions: actionsOf(found),
    }
  },
  template: 'pages/jobs/job',
})

const titles: Record<Job['kind'], PlainKey> = {
  request: 'jobs.steps',
  delivery: 'jobs.attempts',
  'hook run': 'jobs.scripts',
  maintenance: 'jobs.attempts',
}

const isOpen = ({ state }: Pick<Job, 'state'>): boolean =>
  ['blocked', 'queued', 'running', 'undoing'].includes(state)

// Adds to each step its position in the whole time, in percent.
function drawn(steps: JobStep[]) {
  const wholeMs = Math.max(1, ...steps.map(({ at_ms, ms }) => at_ms + (ms ?? 0)))
  return {
    steps: steps.map(step => ({
      ...step,
      title: step.name ?? t('jobs.attempt', { number: step.number ?? 0 }),
      state: step.outcome.replace('_', ' '),
      from: (step.at_ms / wholeMs) * 100,
      width: Math.max(0.75, ((step.ms ?? wholeMs - step.at_ms) / wholeMs) * 100),
      isBad: step.outcome === 'failed' || step.error !== null,
    })),
  }
}

// Returns the actions that are possible; the model decides.
function actionsOf({ id, kind, state, attempts, due_at, is_internal }: Job) {
  const path = `/jobs/${encodeURIComponent(id)}`
  // Callers repeat their own requests themselves.
  const isOurs = kind !== 'request' || is_internal
  const waitsForRetry = isOpen({ state }) && attempts > 0 && due_at !== null && due_at > new Date()
  return [
    ...((state === 'failed' && isOurs) ||
    waitsForRetry ||
    (kind === 'hook run' && state === 'cancelled')
      ? [{ label: t('jobs.retry'), icon: 'rotate-ccw', post: `${path}/retry` }]
      : []),
    ...((state === 'blocked' || state === 'queued') && kind !== 'maintenance'
      ? [{ label: t('jobs.cancel'), address: `${path}/cancel`, look: 'danger' }]
      : []),
  ]
}
