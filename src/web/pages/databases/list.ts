import { findWarning } from '../../../model/databases.ts'
import { customers, page } from '../../page.ts'
import { ownAccount } from '../customer/own.ts'
import { base } from './own.ts'
import { shownDatabases } from './shown.ts'

/** /account/databases */
export const databaseList = page({
  path: base,
  roles: customers,
  async load(asked) {
    const [record, databases, warning] = await Promise.all([
      ownAccount(asked),
      shownDatabases(asked, asked.session.name),
      findWarning(asked.pool),
    ])
    return { databases, warning, most: record.package.maxDatabases }
  },
  template: 'pages/databases/list',
})
