import type { Page } from '../../page.ts'
import { cronForms } from './forms.ts'
import { cronViews } from './views.ts'
import { ofCustomer, ofOperators } from './section.ts'

/** Cron jobs, for customers and for administrators and resellers: fixed paths come first. */
export const cronPages: Page[] = [ofCustomer, ofOperators].flatMap(place => {
  const { add, ...others } = cronForms(place)
  const { list, job } = cronViews(place)
  return [list, add, job, ...Object.values(others)]
})
