import { mailService } from '../../src/model/mail/mail-domains.ts'
import { listMailboxes, mail, shownFor, unknownMailbox } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The new hash was recorded when the operation started. Connections with the old password end.
export default accountOperation('mail/set-password', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, about: { mailboxId }, apply, finish }) {
    const { pool, host } = context
    const answer = await shownFor(listMailboxes, pool, record.id, mailboxId, unknownMailbox)
    const warnings = await apply()
    await mailService(host).endConnections(answer.mailbox)
    return finish({ ...record, warnings }, { answer })
  },
})
