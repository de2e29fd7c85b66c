import { t } from '../../texts/texts.ts'

/** The pages about all jobs. */
export const jobTabs = () => [
  { label: t('jobs.jobs'), address: '/jobs' },
  { label: t('jobs.lastHourTitle'), address: '/jobs/stats' },
]
