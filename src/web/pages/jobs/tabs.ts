/** The pages about all jobs. */
export const jobTabs = [
  { label: 'Jobs', address: '/jobs' },
  { label: 'Last hour', address: '/jobs/stats' },
]
