import { toLines } from '../../../model/mail/filters.ts'
import { domainIn, isAt, mailboxIn, type ShownMail } from '../../../model/mail/shown-mail.ts'
import { domainWords, recordViews } from '../../mail-records.ts'
import { page } from '../../page.ts'
import { aliasesPerMailbox } from './alias-forms.ts'
import { addressIn, mailOf, type MailSection } from './section.ts'

const inWords = (mail: ShownMail, { domain }: { domain: string }) => {
  const found = domainIn(mail, domain)
  return {
    ...{ ...found, words: domainWords(found) },
    mailboxes: mail.mailboxes.filter(({ mailbox }) => isAt(domain, mailbox)),
    // Leaves out those of mailboxes, which are shown as their forwarding.
    aliases: mail.aliases.filter(
      ({ alias }) =>
        isAt(domain, alias) && !mail.mailboxes.some(({ mailbox }) => mailbox === alias),
    ),
  }
}

/** Defines the pages that show an account's mail, a mail domain of it, and a mailbox. */
export const mailViews = (section: MailSection) => ({
  all: page({
    path: section.path,
    roles: section.roles,
    ...(section.isOwn && {
      navigation: { label: 'mail.mail', icon: 'mail', needsMail: true } as const,
    }),
    async load(asked) {
      const [{ record, mail }, head] = await Promise.all([
        mailOf(section, asked),
        section.headOf(asked),
      ])
      const { maxMailboxes: max } = record.package
      return {
        ...{ head, record, mail, max, isOwn: section.isOwn },
        aliasLimit: aliasesPerMailbox * max,
        domains: mail.domains.map(one => inWords(mail, one)),
        base: addressIn(section, asked.params),
      }
    },
    template: 'pages/mail/all',
  }),
  domain: page({
    path: `${section.path}/domains/:domain`,
    roles: section.roles,
    async load(asked) {
      const { record, mail } = await mailOf(section, asked)
      const domain = inWords(mail, asked.params as { domain: string })
      return {
        ...{ domain, host: mail.host, mayCatchAll: record.package.mailCatchAll },
        records: recordViews(domain),
        base: addressIn(section, asked.params),
      }
    },
    template: 'pages/mail/domain',
  }),
  mailbox: page({
    path: `${section.path}/mailboxes/:mailbox`,
    roles: section.roles,
    async load(asked) {
      const { record, mail } = await mailOf(section, asked)
      const found = mailboxIn(mail, (asked.params as { mailbox: string }).mailbox)
      const { mailbox } = found
      return {
        ...{ record, found, host: mail.host, filterLines: toLines(found.filters) },
        forward: mail.aliases.find(({ alias }) => alias === mailbox),
        // The addresses whose mail it gets, too.
        leading: mail.aliases
          .filter(({ alias, targets }) => alias !== mailbox && targets.includes(mailbox))
          .map(({ alias }) => alias),
        domain: mail.domains.find(({ domain }) => isAt(domain, mailbox)),
        base: addressIn(section, asked.params),
      }
    },
    template: 'pages/mail/mailbox',
  }),
})
