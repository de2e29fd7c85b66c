import { z } from 'zod'
import { recorded } from '../../../model/history/history.ts'
import { cancel, listCancellable, listRetryable, retry } from '../../../model/jobs/job-actions.ts'
import { get, type Job, JobFilter, JobId } from '../../../model/jobs/jobs.ts'
import { retryTime } from '../../../model/jobs/retried.ts'
import { tasks } from '../../../model/jobs/job-tasks.ts'
import { listPaused, pause, resume } from '../../../model/jobs/paused-tasks.ts'
import { PanelError } from '../../../errors.ts'
import type { Reply } from '../../../http/reply.ts'
import { parse } from '../../../http/request.ts'
import { withQuery } from '../../addresses.ts'
import { word } from '../../api-call.ts'
import { hidden, select } from '../../fields.ts'
import { form, keyOf, type FormAsked } from '../../form.ts'
import { administrators, type PageRequest } from '../../page.ts'
import { actOnEach } from '../../several.ts'
import { t } from '../../texts/texts.ts'
import { JobsQuery, toFilter } from './list.ts'

// The actions of an administrator on jobs: the same as those of `panel jobs`.

const pathOf = (id: string): string => `/jobs/${encodeURIComponent(id)}`

const Id = z.object({ id: JobId })
const find = ({ pool, params }: FormAsked<'/jobs/:id'>): Promise<Job> => {
  const id = Id.safeParse(params).data?.id
  if (id === undefined) throw new PanelError('job_unknown', t('jobs.unknownJob'))
  return get(pool, id)
}

export const retryJob = form({
  path: '/jobs/:id/retry',
  roles: administrators,
  title: () => t('jobs.retryJob'),
  parent: ({ id }) => pathOf(id),
  fields: {},
  load: async asked => ({ words: [wordsOf(await find(asked)), t('jobs.jobQueuedAgain')] }),
  submit: 'jobs.retry',
  call: ({ id }) => ({ command: `panel jobs retry ${word(id)}` }),
  async act(given) {
    const { id } = await find(given)
    const change = { action: 'job/retry', about: id } as const
    const key = keyOf(given.body)
    const again = await recorded(given.pool, given.caller, change, db => retry(db, id, key))
    return pathOf(again.id)
  },
})

export const cancelJob = form({
  path: '/jobs/:id/cancel',
  roles: administrators,
  title: () => t('jobs.cancelJob'),
  parent: ({ id }) => pathOf(id),
  fields: {},
  load: async asked => ({
    words: [wordsOf(await find(asked)), t('jobs.jobWillNotRun')],
  }),
  submit: 'jobs.cancelJob',
  cancels: true,
  call: ({ id }) => ({ command: `panel jobs cancel ${word(id)}` }),
  isDanger: true,
  async act(given) {
    const { id } = await find(given)
    const change = { action: 'job/cancel', about: id } as const
    await recorded(given.pool, given.caller, change, db => cancel(db, id))
    return pathOf(id)
  },
})

function wordsOf({ task, account, state, error }: Job): string {
  const what = account === null ? task : t('jobs.taskAccount', { task, account })
  return error === null ? `${what}, ${state}` : `${what}, ${state}: ${error}`
}

// An answer should not take longer than people wait; what is left is selected the next time.
const maxAtOnce = 500

// The filter of a list, as hidden fields.
const several = {
  state: hidden('jobs.state', z.string().optional()),
  task: hidden('jobs.task', JobFilter.shape.task),
  kind: hidden('jobs.kind', JobFilter.shape.kind),
  ended: hidden('jobs.ended', z.string().optional()),
  account: hidden('jobs.account', z.string().optional()),
  q: hidden('jobs.search', z.string().optional()),
}
type Several = { [Name in keyof typeof several]?: string | undefined }

const selected = (filter: object) => toFilter(parse(JobsQuery, filter))

const whatRetry = () => ({ does: t('jobs.willRetried'), could: t('jobs.canRetried') })
const whatCancel = () => ({
  does: t('jobs.willCancelled'),
  could: t('jobs.canCancelled'),
})

async function loadSeveral(
  { pool, query, body }: PageRequest,
  choose: typeof listRetryable,
  { does, could }: { does: string; could: string },
) {
  const from = body.has('token') ? body : query
  const values = Object.fromEntries(
    Object.keys(several).map(name => [name, from.get(name) || undefined]),
  )
  const { possible: length } = await choose(pool, selected(values))
  const some =
    length > maxAtOnce
      ? t('jobs.firstMaxAtOnceJob', { maxAtOnce, value: length })
      : t('jobs.job', { value: length })
  const filters = Object.entries(values).flatMap(([name, value]) =>
    value ? `${name} ${value}` : [],
  )
  const chosen =
    filters.length > 0 ? t('jobs.selectedFilters', { filters: filters.join(', ') }) : ''
  return {
    values: values as Record<keyof Several, string>,
    words: [
      length === 0 ? t('jobs.thereNoJobCould', { could, chosen }) : `${some} ${does}${chosen}.`,
    ],
    isIdle: length === 0,
  }
}

async function actOnSeveral(
  {
    pool,
    caller,
    wiring,
    values,
  }: Pick<PageRequest, 'pool' | 'caller' | 'wiring'> & { values: Several },
  action: 'job/retry' | 'job/cancel',
  choose: typeof listRetryable,
  act: typeof retry | typeof cancel,
): Promise<string | Reply> {
  const { jobs: all } = await choose(pool, selected(values))
  const then =
    action === 'job/retry'
      ? withQuery('/jobs/retried', { at: await retryTime(pool), ...values, state: 'failed' })
      : withQuery('/jobs', { ...values, state: undefined })
  return actOnEach(wiring, {
    all: all.slice(0, maxAtOnce),
    act: ({ id }) => recorded<unknown>(pool, caller, { action, about: id }, db => act(db, id)),
    then,
    report: done => t('jobs.jobDone', { done }),
  })
}

/** Makes due again what a list shows. */
export const retryJobs = form({
  path: '/jobs/retry',
  roles: administrators,
  title: () => t('jobs.retryFailedJobs'),
  parent: () => '/jobs',
  fields: several,
  load: asked => loadSeveral(asked, listRetryable, whatRetry()),
  submit: 'jobs.retryJobs',
  act: given => actOnSeveral(given, 'job/retry', listRetryable, retry),
})

/** Cancels what a list shows. */
export const cancelJobs = form({
  path: '/jobs/cancel',
  roles: administrators,
  title: () => t('jobs.cancelWaitingJobs'),
  parent: () => '/jobs',
  fields: several,
  load: asked => loadSeveral(asked, listCancellable, whatCancel()),
  submit: 'jobs.cancelJobs',
  cancels: true,
  isDanger: true,
  act: given => actOnSeveral(given, 'job/cancel', listCancellable, cancel),
})

const task = select('jobs.task', z.enum(tasks, { error: () => t('jobs.mustChosenFromList') }))

export const pauseTask = form({
  path: '/jobs/pause',
  roles: administrators,
  title: () => t('jobs.pauseTask'),
  parent: () => '/jobs/stats',
  fields: { task },
  load: async ({ query }) => ({
    values: { task: query.get('task') },
    options: { task: tasks },
    words: [t('jobs.noneJobsStartUntil')],
  }),
  submit: 'jobs.pause',
  call: (_, values) => ({ command: `panel jobs pause ${word(values['task'])}` }),
  async act({ pool, caller, values }) {
    const change = { action: 'jobs/pause', about: values.task } as const
    await recorded(pool, caller, change, db => pause(db, values.task))
    return '/jobs/stats'
  },
})

export const resumeTask = form({
  path: '/jobs/resume',
  roles: administrators,
  title: () => t('jobs.resumeTask'),
  parent: () => '/jobs/stats',
  fields: { task },
  load: async ({ pool }) => ({
    options: { task: (await listPaused(pool)).map(paused => paused.task) },
    words: [t('jobs.waitingJobsStartWithin')],
  }),
  submit: 'jobs.resume',
  call: (_, values) => ({ command: `panel jobs resume ${word(values['task'])}` }),
  async act({ pool, caller, values }) {
    await recorded(
      pool,
      caller,
      was => (was ? { action: 'jobs/resume', about: values.task } : undefined),
      db => resume(db, values.task),
    )
    return '/jobs/stats'
  },
})
