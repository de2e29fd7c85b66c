import { findWarning } from '../../../model/databases.ts'
import { customers, page } from '../../page.ts'
import { base, ownDatabase } from './own.ts'

/** /account/databases/NAME: how programs connect to it, and who may use it. */
export const databasePage = page({
  path: `${base}/:database`,
  roles: customers,
  async load(asked) {
    const [found, warning] = await Promise.all([
      ownDatabase(asked, asked.params.database),
      findWarning(asked.pool),
    ])
    return { ...found, warning }
  },
  template: 'pages/databases/database',
})
