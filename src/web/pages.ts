import type { Page } from './page.ts'
import { accountBackupPages, ownBackupPages } from './pages/account-backups/pages.ts'
import { accountPages } from './pages/accounts/pages.ts'
import { cronPages } from './pages/cron/pages.ts'
import { ownJobs } from './pages/customer/jobs.ts'
import { ownOverview } from './pages/customer/overview.ts'
import { sftpPages, sitePages } from './pages/customer/pages.ts'
import { ownSearch } from './pages/customer/search.ts'
import { ownUsage } from './pages/customer/usage.ts'
import { accountDatabasePages, databasePages } from './pages/databases/pages.ts'
import { history, historyCsv, ownHistory, ownHistoryCsv } from './pages/history.ts'
import { hookPages } from './pages/hooks/pages.ts'
import { jobPages } from './pages/jobs/pages.ts'
import { accountMailPages, ownMailPages } from './pages/mail/pages.ts'
import { customerSignIn, myAccount } from './pages/my-account/pages.ts'
import { ownOperation } from './pages/operation.ts'
import { overview } from './pages/overview.ts'
import { operatorPages } from './pages/operators/pages.ts'
import { packagePages } from './pages/packages/pages.ts'
import { search } from './pages/search.ts'
import { serverPages } from './pages/server/pages.ts'
import { ownSuggestions, suggestions } from './pages/suggestions.ts'
import { settingPages } from './pages/sites/pages.ts'

/**
 * The pages for people who are signed in, and their navigation, in its order. A fixed path comes
 * before one with a name in it.
 */
export const pages: Page[] = [
  // For administrators and resellers
  overview,
  search,
  suggestions,
  ...accountPages,
  ...accountDatabasePages,
  ...accountMailPages,
  ...accountBackupPages,
  ...packagePages,
  ...jobPages,
  ...hookPages,
  ...operatorPages,
  ...serverPages,
  history,
  historyCsv,
  ...myAccount,
  // For customers
  ownOverview,
  ownSearch,
  ownSuggestions,
  ...settingPages,
  ...sitePages,
  ...databasePages,
  ...ownMailPages,
  ...ownBackupPages,
  ...cronPages,
  ...sftpPages,
  ownUsage,
  ownJobs,
  ownOperation,
  ...customerSignIn,
  ownHistory,
  ownHistoryCsv,
]
