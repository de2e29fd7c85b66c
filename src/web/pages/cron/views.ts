import { list } from '../../../model/cron-jobs/cron-jobs.ts'
import { describeExcess } from '../../../model/cron-jobs/cron-limits.ts'
import { crontabOf } from '../../../model/cron-jobs/own-crontabs.ts'
import { page } from '../../page.ts'
import { accountOf, jobOf, listAddress, type CronSection } from './section.ts'

/** Defines the list of an account's cron jobs, and the page of one with its last output. */
export const cronViews = (section: CronSection) => ({
  list: page({
    path: section.path,
    roles: section.roles,
    ...(section.navigation && { navigation: section.navigation }),
    async load(asked) {
      const record = await accountOf(section, asked)
      const [head, jobs, crontab] = await Promise.all([
        section.headOf(asked),
        list(asked.pool, record),
        crontabOf(asked.pool, record),
      ])
      return {
        ...{ record, jobs, head, crontab, max: record.package.maxCronJobs },
        isOwn: section.isOwn,
        excess: describeExcess(jobs, record.package),
        base: listAddress(section, asked.params),
      }
    },
    template: 'pages/cron/list',
  }),
  job: page({
    path: `${section.path}/:id`,
    roles: section.roles,
    async load(asked) {
      return { ...(await jobOf(section, asked)), base: listAddress(section, asked.params) }
    },
    template: 'pages/cron/job',
  }),
})
