import type { Page } from '../../page.ts'
import { cronForms } from './forms.ts'
import { cronViews } from './views.ts'
import { ofCustomer, ofOperators } from './section.ts'

/** Cron jobs, for customers and for administrators and resellers: fixed paths come first. */
export const cronPages: Page[] = [ofCustomer, ofOperators].flatMap(section => {
  const { add, ...others } = cronForms(section)
  const { list, job } = cronViews(section)
  return [list, add, job, ...Object.values(others)]
})
