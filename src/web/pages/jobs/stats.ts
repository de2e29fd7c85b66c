import { read, type TaskStats } from '../../../model/jobs/job-stats.ts'
import { administrators, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { jobTabs } from './tabs.ts'

/** /jobs/stats: the last hour, what waits now, and what may be paused. */
export const jobStats = page({
  path: '/jobs/stats',
  roles: administrators,
  async load({ pool }) {
    const stats = await read(pool)
    return {
      ...stats,
      tabs: jobTabs(),
      isPaused: ({ task }: TaskStats) => stats.paused.some(one => one.task === task),
      bars: stats.minutes.map(({ ended, failed }, index) => {
        const at = new Date(Date.now() - (stats.minutes.length - 1 - index) * 60_000)
        const time = at.toISOString().slice(11, 16)
        const title = t('jobs.endedAndFailedAt', {
          time,
          ended,
          hasFailed: failed > 0 ? 'yes' : 'no',
          failed,
        })
        return { label: t('jobs.timeUtc', { time }), short: time, value: ended, bad: failed, title }
      }),
    }
  },
  template: 'pages/jobs/stats',
})
