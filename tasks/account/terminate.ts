import { sitesOf } from '../../src/model/accounts/accounts.ts'
import { databasesOf } from '../../src/model/databases/host-databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// Only goes forward: it is retried until it succeeds. The account shows `terminating` from the
// first start on, and its name is free with the answer.
export default accountOperation('account/terminate', {
  undo: 'only forward',
  async work({ record, account, apply, finish }) {
    const warnings = await apply()
    const { username, reference } = record
    return finish(
      { ...record, state: 'terminated', warnings },
      {
        events: [
          ...databasesOf(account).map(database =>
            announce('database.deleted', { username, database }),
          ),
          ...sitesOf(record).map(({ domain }) => announce('site.deleted', { username, domain })),
          announce('account.deleted', { username, reference }),
        ],
      },
    )
  },
})
