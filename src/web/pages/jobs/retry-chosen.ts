import { z } from 'zod'
import { recorded } from '../../../model/history/history.ts'
import { listRetryable, retry } from '../../../model/jobs/job-actions.ts'
import { JobId } from '../../../model/jobs/jobs.ts'
import { retryTime } from '../../../model/jobs/retried.ts'
import { withQuery } from '../../addresses.ts'
import { derivedId } from '../../derived.ts'
import { several } from '../../fields.ts'
import { form, keyOf } from '../../form.ts'
import { administrators } from '../../page.ts'
import { actOnEach } from '../../several.ts'
import { t } from '../../texts/texts.ts'
import { operation as operationLabel, shortId } from '../../words.ts'

// More are retried by the filter of a list (actions.ts).
const maxChosen = 100
const maxOffered = 20

/** Retries the jobs and hook runs that were chosen in a list. */
export const retryChosen = form({
  path: '/jobs/retry/chosen',
  roles: administrators,
  title: () => t('jobs.retryFailedJobs'),
  parent: () => '/jobs',
  fields: {
    id: several(
      'jobs.jobs',
      z
        .array(JobId)
        .min(1, { error: () => t('jobs.mustBeChosen') })
        .max(maxChosen, { error: () => t('jobs.atMostChosen', { maxChosen }) }),
    ),
  },
  async load({ pool, body }) {
    const chosen = new Set(body.getAll('id'))
    const { jobs } = await listRetryable(pool, {})
    const shown = jobs.filter(({ id }) => chosen.has(id))
    return {
      isIdle: jobs.length === 0,
      words: jobs.length === 0 ? [t('jobs.noJobCanBeRetried')] : [],
      options: {
        id: (shown.length > 0 ? shown : jobs.slice(0, maxOffered)).map(({ id, task, account }) => ({
          value: id,
          label: [operationLabel(task), account, shortId(id)].filter(Boolean).join(', '),
        })),
      },
    }
  },
  submit: 'jobs.retryJobs',
  act: async ({ pool, caller, wiring, values, body }) =>
    actOnEach(wiring, {
      all: new Set(values.id),
      act: id =>
        recorded<unknown>(pool, caller, { action: 'job/retry', about: id }, db =>
          retry(db, id, derivedId(caller.id, keyOf(body), id)),
        ),
      then: withQuery('/jobs/retried', { at: await retryTime(pool) }),
      report: done => t('jobs.jobDone', { done }),
    }),
})
