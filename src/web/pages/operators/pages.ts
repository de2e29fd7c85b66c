import type { Page } from '../../page.ts'
import { credentials } from './credentials.ts'
import { administratorList, resellerList } from './lists.ts'
import { plan, suspendReseller, unsuspendReseller } from './plans.ts'
import { administratorShown, resellerShown } from './shown.ts'

/** Resellers and administrators. */
export const operatorPages: Page[] = [
  resellerList,
  administratorList,
  // Before the pages with a name: `new` is none.
  ...credentials,
  plan,
  suspendReseller,
  unsuspendReseller,
  resellerShown,
  administratorShown,
]
