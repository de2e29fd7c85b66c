import * as rebuilds from '../../src/model/rebuilds.ts'
import { operation } from '../../src/queue/operation.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'
import { reapply, type Work } from '../../src/queue/operation-types.ts'

// No request asked for it: the account's package has changed, or the machine is to agree again.
export default operation('account/apply', {
  ...reapply,
  async work(given) {
    const { context, operationId } = given
    await retryOrExit(context, operationId, () => noteDrift(given))
    return reapply.work(given)
  },
})

// Whoever asked for a rebuild is shown what it was good for.
async function noteDrift({ account, asked, context, operationId: id }: Work): Promise<void> {
  if (!(await rebuilds.isToBeNoted(context.pool, id))) return
  await context.host.ensureShared()
  const differed = await context.host.drift(account)
  if (differed.length > 0) await rebuilds.note(context.pool, { id, ...asked }, differed)
}
