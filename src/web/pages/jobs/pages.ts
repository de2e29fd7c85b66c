import type { Page } from '../../page.ts'
import { operation } from '../operation.ts'
import * as actions from './actions.ts'
import { jobList } from './list.ts'
import { retried } from './retried.ts'
import { retryChosen } from './retry-chosen.ts'
import { jobStats } from './stats.ts'

/** All jobs of the server. */
export const jobPages: Page[] = [
  jobList,
  jobStats,
  retried,
  ...Object.values(actions),
  retryChosen,
  operation,
]
