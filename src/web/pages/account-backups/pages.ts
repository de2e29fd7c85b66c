import type { Page } from '../../page.ts'
import { backupForms } from './forms.ts'
import { ofCustomer, ofOperators, type BackupSection } from './section.ts'
import { backupViews } from './views.ts'

// Fixed paths come before those with a name in them.
const pagesOf = (section: BackupSection): Page[] => {
  const { create, restore } = backupForms(section)
  const { list, backup } = backupViews(section)
  return [list, create, backup, restore]
}

/** A customer's backups. */
export const ownBackupPages = pagesOf(ofCustomer)

/** The backups of an account, as administrators and resellers see them. */
export const accountBackupPages = pagesOf(ofOperators)
