import type { Page } from './page.ts'
import * as changes from './pages/accounts/changes.ts'
import { addDatabaseTo, removeDatabaseFrom } from './pages/accounts/databases.ts'
import { accountHistory } from './pages/accounts/history.ts'
import { accountJobs } from './pages/accounts/jobs.ts'
import { accountList } from './pages/accounts/list.ts'
import { newAccount } from './pages/accounts/new.ts'
import { accountOverview } from './pages/accounts/overview.ts'
import { accountSettings } from './pages/accounts/settings.ts'
import { signInAs } from './pages/accounts/sign-in-as.ts'
import { addSiteTo, removeSiteFrom, setSourcesOf } from './pages/accounts/sites.ts'
import * as states from './pages/accounts/states.ts'
import { ownJobs } from './pages/customer/jobs.ts'
import { ownOverview } from './pages/customer/overview.ts'
import { ownSearch } from './pages/customer/search.ts'
import { addSftpKey, ownSftp, removeSftpKey } from './pages/customer/sftp.ts'
import { addSite, lookAgain, removeSite, setHttps } from './pages/customer/site-forms.ts'
import { setSources } from './pages/customer/site-sources.ts'
import { ownSiteList, ownSitePage } from './pages/customer/sites.ts'
import { ownUsage } from './pages/customer/usage.ts'
import { databasePages } from './pages/databases/pages.ts'
import * as histories from './pages/history.ts'
import { myAccount } from './pages/my-account/pages.ts'
import { operation, ownOperation } from './pages/operation.ts'
import * as deliveryPages from './pages/hooks/deliveries.ts'
import * as webhookChanges from './pages/hooks/changes.ts'
import { scripts } from './pages/hooks/scripts.ts'
import { webhook, webhookList } from './pages/hooks/webhooks.ts'
import * as jobActions from './pages/jobs/actions.ts'
import { jobList } from './pages/jobs/list.ts'
import { jobStats } from './pages/jobs/stats.ts'
import { overview } from './pages/overview.ts'
import { ownerPages } from './pages/owners/pages.ts'
import { deletePackage, editPackage, newPackage } from './pages/packages/forms.ts'
import { packageList } from './pages/packages/list.ts'
import { search } from './pages/search.ts'
import { serverPages } from './pages/server/pages.ts'

/** The table of pages for whoever is signed in. A fixed path comes before one with a name in it. */
export const pages: Page[] = [
  overview,
  search,
  accountList,
  newAccount,
  accountOverview,
  accountSettings,
  accountJobs,
  accountHistory,
  ...Object.values(changes),
  ...Object.values(states),
  signInAs,
  addSiteTo,
  removeSiteFrom,
  setSourcesOf,
  addDatabaseTo,
  removeDatabaseFrom,
  packageList,
  newPackage,
  editPackage,
  deletePackage,
  jobList,
  jobStats,
  ...Object.values(jobActions),
  operation,
  ownOverview,
  ownSearch,
  ownSiteList,
  addSite,
  ownSitePage,
  removeSite,
  setHttps,
  setSources,
  lookAgain,
  ...databasePages,
  ownSftp,
  addSftpKey,
  removeSftpKey,
  ownUsage,
  ownJobs,
  ownOperation,
  deliveryPages.deliveryList,
  deliveryPages.redeliverSeveral,
  deliveryPages.delivery,
  deliveryPages.redeliverOne,
  webhookList,
  ...Object.values(webhookChanges),
  webhook,
  scripts,
  ...ownerPages,
  ...serverPages,
  ...myAccount,
  ...Object.values(histories),
]
