import type { Page } from '../../page.ts'
import { closeAdminer, openAdminer } from './adminer.ts'
import { databasePage } from './database.ts'
import { exportPages } from './export.ts'
import * as forms from './forms.ts'
import { importFile } from './import-file.ts'
import { importDump } from './import.ts'
import { databaseList } from './list.ts'
import { ofCustomer, ofOperators } from './section.ts'

const { addDatabase, addUser, ...others } = forms

/** A customer's pages of its databases: a fixed path comes before one with a name in it. */
export const databasePages: Page[] = [
  databaseList,
  addDatabase,
  databasePage,
  addUser,
  openAdminer,
  closeAdminer,
  importDump,
  ...Object.values(others),
  ...Object.values(exportPages(ofCustomer)),
  importFile(ofCustomer),
]

/** The pages about databases of an account that operators have too. */
export const accountDatabasePages: Page[] = [
  ...Object.values(exportPages(ofOperators)),
  importFile(ofOperators),
]
