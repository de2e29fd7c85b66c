import type { Page } from '../../page.ts'
import { addSftpKey, ownSftp, removeSftpKey } from './sftp.ts'
import { addSite, recheck, removeSite, setHttps } from './site-forms.ts'
import { setSources } from './site-sources.ts'
import { ownSiteList, ownSitePage } from './sites.ts'

/** A customer's websites. */
export const sitePages: Page[] = [
  ownSiteList,
  addSite,
  ownSitePage,
  removeSite,
  setHttps,
  setSources,
  recheck,
]

/** A customer's way in by SFTP. */
export const sftpPages: Page[] = [ownSftp, addSftpKey, removeSftpKey]
