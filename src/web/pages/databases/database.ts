import { findLack } from '../../../model/open-databases.ts'
import { databaseIdOf, findWarning, isOpen } from '../../../model/databases.ts'
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
    const id = await databaseIdOf(pool, caller.accountId ?? '0', params.database)
    return { ...found, warning, lack, isOpen: await isOpen(pool, id) }
  },
  template: 'pages/databases/database',
})
