import { all, type Db } from '../../db.ts'
import { readMailServer } from '../server/mail-server.ts'
import {
  listAliases,
  listDomains,
  listMailboxes,
  type MailAlias,
  type Mailbox,
  type MailDomainRecords,
  unknownAlias,
  unknownDomain,
  unknownMailbox,
} from './mail-rows.ts'

// An account's mail as pages show it: all of it at once, as accounts have few of each.

/** A mail domain with what pages show besides. */
export type ShownDomain = MailDomainRecords & {
  /** Whether the account has a website of the name, which proves the domain with its MX record. */
  has_website: boolean
  checked_at: Date | null
}

export type ShownMail = {
  /** The name of the mail server; null if mail hosting is off. */
  host: string | null
  domains: ShownDomain[]
  mailboxes: Mailbox[]
  aliases: MailAlias[]
}

type Checked = { id: string; has_website: boolean; checked_at: Date | null }

const listChecked = (db: Db, accountId: string) => all<Checked>(db)`
  select d.id::text, d.checked_at, exists (
      select
      from panel.site_names n
      join panel.sites s on s.id = n.site_id
      where n.name = d.domain and s.account_id = d.account_id) as has_website
  from panel.mail_domains d
  where d.account_id = ${accountId}`

/** Returns the mail of an account that the caller has looked up. */
export async function readMail(db: Db, { id }: { id: string }): Promise<ShownMail> {
  const [server, domains, checked, mailboxes, aliases] = await Promise.all([
    readMailServer(db),
    listDomains(db, id),
    listChecked(db, id),
    listMailboxes(db, id),
    listAliases(db, id),
  ])
  return {
    host: server?.host ?? null,
    domains: domains.map(({ id: own, shown, records }) => {
      const { has_website = false, checked_at = null } = checked.find(one => one.id === own) ?? {}
      return { ...shown, records, has_website, checked_at }
    }),
    mailboxes: mailboxes.map(({ shown }) => shown),
    aliases: aliases.map(({ shown }) => shown),
  }
}

const orThrow = <Found>(found: Found | undefined, unknown: () => Error): Found => {
  if (found === undefined) throw unknown()
  return found
}

/** @throws {PanelError} `mail_domain_unknown` */
export const domainIn = ({ domains }: ShownMail, name: string): ShownDomain =>
  orThrow(
    domains.find(({ domain }) => domain === name),
    unknownDomain,
  )

/** @throws {PanelError} `mailbox_unknown` */
export const mailboxIn = ({ mailboxes }: ShownMail, address: string): Mailbox =>
  orThrow(
    mailboxes.find(({ mailbox }) => mailbox === address),
    unknownMailbox,
  )

/** @throws {PanelError} `mail_alias_unknown` */
export const aliasIn = ({ aliases }: ShownMail, address: string): MailAlias =>
  orThrow(
    aliases.find(({ alias }) => alias === address),
    unknownAlias,
  )

/** Returns whether an address is of this mail domain. */
export const isAt = (domain: string, address: string): boolean => address.endsWith(`@${domain}`)
