import type { EventName } from '../../src/model/events/events.ts'
import { deletionsOf } from '../../src/model/operations/resource-kinds.ts'
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
          ...deletionsOf(record, account).map(([name, data]) =>
            announce(name as EventName, { username, ...data } as never),
          ),
          announce('account.deleted', { username, reference }),
        ],
      },
    )
  },
})
