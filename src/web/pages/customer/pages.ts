import type { Page } from '../../page.ts'
import { addSftpKey, ownSftp, removeSftpKey } from './sftp.ts'
import { ownSiteList, ownSitePage, recheck } from './sites.ts'

/** A customer's websites. */
export const sitePages: Page[] = [ownSiteList, ownSitePage, recheck]

/** A customer's way in by SFTP. */
export const sftpPages: Page[] = [ownSftp, addSftpKey, removeSftpKey]
