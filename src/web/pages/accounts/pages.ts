import type { Page } from '../../page.ts'
import * as changes from './changes.ts'
import { addDatabaseTo, removeDatabaseFrom } from './databases.ts'
import { accountHistory } from './history.ts'
import { accountJobs } from './jobs.ts'
import { accountList } from './list.ts'
import { newAccount } from './new.ts'
import { accountOverview } from './overview.ts'
import { accountSettings } from './settings.ts'
import { signInAs } from './sign-in-as.ts'
import * as states from './states.ts'

/** The accounts, as administrators and resellers see and change them. */
export const accountPages: Page[] = [
  accountList,
  newAccount,
  accountOverview,
  accountSettings,
  accountJobs,
  accountHistory,
  ...Object.values(changes),
  ...Object.values(states),
  signInAs,
  addDatabaseTo,
  removeDatabaseFrom,
]
