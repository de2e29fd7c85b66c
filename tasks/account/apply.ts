import * as rebuilds from '../../src/model/rebuilds.ts'
import { operation } from '../../src/queue/operation.ts'
import { recorded } from '../../src/queue/recorded.ts'
import { reapply, type Work } from '../../src/queue/work.ts'

// No request asked for it: the account's package has changed, or the machine is to agree again.
export default operation('account/apply', {
  ...reapply,
  async work(given) {
    const { context, operationId } = given
    await recorded(context, operationId, () => noteDifferences(given))
    return reapply.work(given)
  },
})

// Whoever asked for a rebuild is shown what it was good for.
async function noteDifferences({ account, asked, context, operationId: id }: Work): Promise<void> {
  if (!(await rebuilds.isToBeNoted(context.pool, id))) return
  await context.host.ensureShared()
  const differed = await context.host.differences(account)
  if (differed.length > 0) await rebuilds.note(context.pool, { id, ...asked }, differed)
}
