import type { MailDomain } from '../../../model/mail/mail-rows.ts'
import { fields } from '../../columns.ts'

/** Formats a mail domain for people, with the DNS records that it needs. */
export const mailDomainWords = (domain: MailDomain) =>
  fields({
    domain: domain.domain,
    state: domain.state,
    'catch all': domain.catch_all,
    'elsewhere since': domain.missing_since,
    'MX record': domain.mail_host && `${domain.domain}. MX 10 ${domain.mail_host}.`,
    'TXT record': `_panel-mail.${domain.domain}. TXT "${domain.proof}"`,
    'DKIM record': domain.dkim && `${domain.dkim.name}. TXT "${domain.dkim.value}"`,
  })
