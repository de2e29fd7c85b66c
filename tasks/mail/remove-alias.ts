import { listAliases, mail, shownFor, unknownAlias } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The desired state was recorded when the operation started.
export default accountOperation('mail/remove-alias', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, about: { aliasId }, apply, finish }) {
    const { pool } = context
    const answer = await shownFor(listAliases, pool, record.id, aliasId, unknownAlias)
    return finish({ ...record, warnings: await apply() }, { answer })
  },
})
