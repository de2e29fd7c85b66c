import { mailService, recordKey } from '../../src/model/mail/mail-domains.ts'
import { listDomains, mail, shownFor, unknownDomain } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// The request has reserved the domain. It gets mail once the courier has found it in DNS.
export default accountOperation('mail/add-domain', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, about: { domainId }, apply, finish }) {
    const { pool, host } = context
    const show = () => shownFor(listDomains, pool, record.id, domainId, unknownDomain)
    await show()
    const warnings = await apply()
    await recordKey(pool, mailService(host), domainId)
    const answer = await show()
    const { username } = record
    const location = `/api/v1/accounts/${username}/mail-domains/${answer.domain}`
    const events = [announce('mail.domain_created', { username, domain: answer.domain })]
    return finish({ ...record, warnings }, { status: 201, location, answer, events })
  },
})
