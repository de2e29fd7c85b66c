/** What the pages about all jobs are. */
export const jobTabs = [
  { label: 'Jobs', address: '/jobs' },
  { label: 'Last hour', address: '/jobs/stats' },
]
