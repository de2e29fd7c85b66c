import { findWarning } from '../../../model/databases.ts'
import { customers, page } from '../../page.ts'
import { ownAccount } from '../customer/own.ts'
import { base, ownDatabases } from './own.ts'

/** /account/databases */
export const databaseList = page({
  path: base,
  roles: customers,
  async load(asked) {
    const [record, databases, warning] = await Promise.all([
      ownAccount(asked),
      ownDatabases(asked),
      findWarning(asked.pool),
    ])
    return { databases, warning, most: record.package.maxDatabases }
  },
  template: 'pages/databases/list',
})
