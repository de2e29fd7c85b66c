import { list, maxJobs } from '../../../model/cron-jobs/cron-jobs.ts'
import { page } from '../../page.ts'
import { accountOf, jobOf, listAddress, type CronPlace } from './place.ts'

/** The list of an account's cron jobs, and the page of one with the output of its last run. */
export const cronViews = (place: CronPlace) => ({
  list: page({
    path: place.path,
    roles: place.roles,
    ...(place.navigation && { navigation: place.navigation }),
    async load(asked) {
      const record = await accountOf(place, asked)
      const [head, jobs] = await Promise.all([place.headOf(asked), list(asked.pool, record)])
      return { record, jobs, head, maxJobs, base: listAddress(place, asked.params) }
    },
    template: 'pages/cron/list',
  }),
  job: page({
    path: `${place.path}/:id`,
    roles: place.roles,
    async load(asked) {
      return { ...(await jobOf(place, asked)), base: listAddress(place, asked.params) }
    },
    template: 'pages/cron/job',
  }),
})
