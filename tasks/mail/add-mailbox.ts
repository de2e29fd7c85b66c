import { listMailboxes, mail, shownFor, unknownMailbox } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// The request has reserved the row, with the hash of the password.
export default accountOperation('mail/add-mailbox', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, about: { mailboxId }, apply, finish }) {
    const { pool } = context
    const answer = await shownFor(listMailboxes, pool, record.id, mailboxId, unknownMailbox)
    const warnings = await apply()
    const { username } = record
    const { mailbox } = answer
    const location = `/api/v1/accounts/${username}/mailboxes/${mailbox}`
    const events = [announce('mail.mailbox_created', { username, mailbox })]
    return finish({ ...record, warnings }, { status: 201, location, answer, events })
  },
})
