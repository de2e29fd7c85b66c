import { listDomains, mail, shownFor, unknownDomain } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The address was recorded when the operation started.
export default accountOperation('mail/set-domain', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, about: { domainId }, apply, finish }) {
    const answer = await shownFor(listDomains, context.pool, record.id, domainId, unknownDomain)
    return finish({ ...record, warnings: await apply() }, { answer })
  },
})
