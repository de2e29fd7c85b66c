import { findLack } from '../../../model/databases/open-databases.ts'
import { databaseIdOf, findWarning, isFrozen, isOpen } from '../../../model/databases/databases.ts'
import { ofAccount } from '../../../model/accounts/usage.ts'
import { customers, page } from '../../page.ts'
import { base, ownDatabase } from './own.ts'

/** /account/databases/NAME: how programs connect to it, and who may use it. */
export const databasePage = page({
  path: `${base}/:database`,
  roles: customers,
  async load(asked) {
    const { pool, caller, params } = asked
    const [found, warning, lack] = await Promise.all([
      ownDatabase(asked, params.database),
      findWarning(pool),
      findLack(pool),
    ])
    const accountId = caller.accountId ?? '0'
    const id = await databaseIdOf(pool, accountId, params.database)
    const [frozen, open, usage] = await Promise.all([
      isFrozen(pool, id),
      isOpen(pool, id),
      ofAccount(pool, accountId),
    ])
    return { ...found, warning, lack, isOpen: open, frozen, usage }
  },
  template: 'pages/databases/database',
})
