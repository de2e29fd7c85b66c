import { listMailboxes, mail, shownFor, unknownMailbox } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// Its folder is set aside in the home, with the mail in it.
export default accountOperation('mail/remove-mailbox', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, about: { mailboxId }, apply, finish }) {
    const { pool } = context
    const answer = await shownFor(listMailboxes, pool, record.id, mailboxId, unknownMailbox)
    return finish({ ...record, warnings: await apply() }, { answer })
  },
})
