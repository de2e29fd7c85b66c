import { listMailboxes, mail, shownFor, unknownMailbox } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The desired values were recorded when the operation started.
export default accountOperation('mail/set-mailbox', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, about: { mailboxId }, apply, finish }) {
    const { pool } = context
    const answer = await shownFor(listMailboxes, pool, record.id, mailboxId, unknownMailbox)
    return finish({ ...record, warnings: await apply() }, { answer })
  },
})
