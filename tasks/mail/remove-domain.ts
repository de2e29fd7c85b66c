import { inUse } from '../../src/model/mail/mail-domains.ts'
import { listDomains, mail, shownFor, unknownDomain } from '../../src/model/mail/mail-rows.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// Its aliases go with it. It stays if another operation has added a mailbox meanwhile.
export default accountOperation('mail/remove-domain', {
  subject: mail,
  part: ['mailboxes'],
  async work({ context, record, account, about: { domainId }, apply, finish }) {
    const answer = await shownFor(listDomains, context.pool, record.id, domainId, unknownDomain)
    const isKept = ({ domain, desired }: NonNullable<typeof account.mail>[number]) =>
      domain === answer.domain && desired === 'present'
    if (account.mail?.some(isKept)) throw inUse(answer.domain)
    return finish({ ...record, warnings: await apply() }, { answer })
  },
})
