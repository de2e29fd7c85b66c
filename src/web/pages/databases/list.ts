import { findWarning, ofAccount } from '../../../model/databases/databases.ts'
import { customers, page } from '../../page.ts'
import { ofAccount as usageOf } from '../../../model/accounts/usage.ts'
import { ownAccount } from '../customer/own.ts'
import { base } from './own.ts'

/** /account/databases */
export const databaseList = page({
  path: base,
  roles: customers,
  navigation: { label: 'databases.databases', icon: 'database' },
  async load(asked) {
    const record = await ownAccount(asked)
    const [databases, usage, warning] = await Promise.all([
      ofAccount(asked.pool, record.id),
      usageOf(asked.pool, record.id),
      findWarning(asked.pool),
    ])
    return { databases, usage, warning, max: record.package.maxDatabases }
  },
  template: 'pages/databases/list',
})
