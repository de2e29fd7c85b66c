import { listMailboxes, mail, shownFor, unknownMailbox } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The new hash was recorded when the operation started. Connections with the old password end.
export default accountOperation('mail/set-password', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, about: { mailboxId }, apply, finish }) {
    const { pool } = context
    const answer = await shownFor(listMailboxes, pool, record.id, mailboxId, unknownMailbox)
    return finish({ ...record, warnings: await apply() }, { answer })
  },
})
