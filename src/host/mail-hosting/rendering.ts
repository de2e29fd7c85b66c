import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Filters } from '../../model/mail/filters.ts'
import type { HostMailbox, HostMailDomain } from '../../model/mail/host-mail.ts'
import type { DovecotVersion } from '../mail-server/dovecot.ts'
import type { MapName } from '../mail-server/paths.ts'
import { forwardsOf } from './forwards.ts'
import { homeOfMailbox } from './paths.ts'

// An account's lines in the look-ups of the mail server. Grammars keep white space, commas, colons
// and line breaks out of every name and address.

const isPresent = ({ desired }: { desired: 'present' | 'absent' }): boolean => desired === 'present'

/** Returns the mail domains that the account has, without those that are being removed. */
export const domainsOf = ({ mail = [], desired }: HostAccount): HostMailDomain[] =>
  desired === 'terminated' ? [] : mail.filter(isPresent)

/** Returns the mailboxes of a domain, without those that are being removed. */
export const mailboxesIn = ({ mailboxes }: HostMailDomain): HostMailbox[] =>
  mailboxes.filter(isPresent)

/** Returns the account's lines in each map. Only domains that are proved to be its own have any. */
export function renderMaps(account: HostAccount): Record<MapName, string[]> {
  const active = domainsOf(account).filter(({ isActive }) => isActive)
  const mailboxes = active.flatMap(one => addressesOf(one))
  const isSending = account.desired === 'active'
  const senders = isSending ? sendersOf(account, active) : new Map<string, string[]>()
  const { uid, limits } = account
  const aliases = active.flatMap(one => aliasesOf(one, limits.mailCatchAll))
  return {
    domains: active.map(({ domain }) => `${domain} ${uid}`),
    mailboxes: mailboxes.map(address => `${address} ${uid}`),
    aliases: aliases.map(([address, targets]) => `${address} ${targets.join(', ')}`),
    senders: [...senders].map(([address, logins]) => `${address} ${logins.join(',')}`),
    rates: isSending ? mailboxes.map(login => `${login} ${uid} ${limits.mailsPerHour}`) : [],
    forwards: forwardsOf(
      active.map(({ domain }) => domain),
      new Map(aliases),
    ).map(([address, count]) => `${address} ${uid} ${limits.mailsPerHour} ${count}`),
    'from-domains': [...byLogin(senders)].map(([login, names]) => `${login} ${names.join(',')}`),
    'script-domains': isSending ? active.map(({ domain }) => `${domain} ${uid}`) : [],
    'dkim-selectors': active.map(({ domain, selector }) => `${domain} ${selector}`),
  }
}

const addressesOf = (one: HostMailDomain): string[] =>
  mailboxesIn(one).map(({ localPart }) => `${localPart}@${one.domain}`)

// Postfix takes an alias before a mailbox, and the address for all unknown ones before every
// mailbox that has no line of its own.
function aliasesOf(one: HostMailDomain, mayCatchAll: boolean): [string, string[]][] {
  const { domain, aliases, catchAll } = one
  const lines = aliases.map(({ localPart, targets }): [string, string[]] => [
    `${localPart}@${domain}`,
    targets,
  ])
  if (catchAll === null || !mayCatchAll) return lines
  const named = new Set(aliases.map(({ localPart }) => `${localPart}@${domain}`))
  const own = addressesOf(one).filter(address => !named.has(address))
  const itself = own.map((address): [string, string[]] => [address, [address]])
  return [...lines, ...itself, [`@${domain}`, [catchAll]]]
}

// Returns the logins that may send as each address: a mailbox itself, and those that the mail to an
// alias, or to unknown addresses, is led to.
function sendersOf(
  { limits }: HostAccount,
  active: readonly HostMailDomain[],
): Map<string, string[]> {
  const logins = new Set(active.flatMap(addressesOf))
  const senders = new Map<string, string[]>()
  const allow = (address: string, targets: readonly string[]) => {
    const some = targets.filter(one => logins.has(one))
    const all = [...new Set([...(senders.get(address) ?? []), ...some])]
    if (all.length > 0) senders.set(address, all)
  }
  for (const address of logins) allow(address, [address])
  for (const { domain, aliases, catchAll } of active) {
    for (const { localPart, targets } of aliases) allow(`${localPart}@${domain}`, targets)
    if (catchAll !== null && limits.mailCatchAll) allow(`@${domain}`, [catchAll])
  }
  return senders
}

// Returns the addresses that each login may send as; a whole domain without the @.
function byLogin(senders: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const [address, logins] of senders) {
    for (const login of logins) {
      names.set(login, [...(names.get(login) ?? []), address.replace(/^@/, '')])
    }
  }
  return names
}

/** Renders the mailboxes of a domain for Dovecot; a suspended account's cannot be logged in to. */
export const renderPasswd = (
  { uid, desired }: Pick<HostAccount, 'uid' | 'desired'>,
  one: HostMailDomain,
  version: DovecotVersion,
): string =>
  mailboxesIn(one)
    .map(mailbox =>
      renderMailbox({ uid, isSuspended: desired !== 'active' }, one, mailbox, version),
    )
    .join('')

// passwd(5) with fields of Dovecot's own at the end.
function renderMailbox(
  { uid, isSuspended }: { uid: number; isSuspended: boolean },
  { domain }: HostMailDomain,
  { localPart, hash, quotaMb }: HostMailbox,
  version: DovecotVersion,
): string {
  const quota =
    version === '2.3'
      ? `userdb_quota_rule=*:storage=${quotaMb}M`
      : `userdb_quota_storage_size=${quotaMb}M`
  const secret = isSuspended ? noPassword : hash
  const home = homeOfMailbox(uid, domain, localPart)
  return `${localPart}@${domain}:{BLF-CRYPT}${secret}:${uid}:${uid}::${home}::${quota}\n`
}

// A hash that no known password has. Dovecot's own `nologin` would not do: Postfix, which asks it
// about logins, does not know it.
const noPassword = `$2y$10$${'.'.repeat(53)}`

/**
 * Renders the script that answers a mailbox's mail (RFC 5230), which never answers lists, automatic
 * mail or mail that was not sent to one of its addresses.
 */
export function renderAutoresponder(
  { subject, message, days }: NonNullable<HostMailbox['autoresponder']>,
  addresses: readonly string[],
): string {
  const own = addresses.map(quoted).join(', ')
  return `# Written by the panel, which overwrites changes.
require ["vacation"];
if not anyof (
  exists ["list-id", "list-post", "list-unsubscribe", "x-auto-response-suppress"],
  header :contains "precedence" ["bulk", "list", "junk"]
) {
  vacation :days ${days} :subject ${quoted(subject)} :addresses [${own}]
    ${quoted(message)};
}
`
}

/** Renders the script of a mailbox's filters (RFC 5228). */
export const renderFilters = (
  filters: Filters,
): string => `# Written by the panel, which overwrites changes.
require ["fileinto", "mailbox"];
${filters.map(renderFilter).join('')}`

const renderFilter = ({ header, contains, folder }: Filters[number]): string => {
  const names = header === 'to' ? '["to", "cc"]' : quoted(header)
  const act = folder === null ? 'discard;' : `fileinto :create ${quoted(folder)};`
  return `if header :contains ${names} ${quoted(contains)} {
  ${act}
  stop;
}
`
}

// RFC 5228, section 2.4.2.
const quoted = (text: string): string =>
  `"${text.replaceAll(/[\\"]/g, found => `\\${found}`).replaceAll('\n', '\r\n')}"`

/** Returns the addresses of a mailbox: its own, and the aliases that lead to it. */
export function namesOf(one: HostMailDomain, { localPart }: HostMailbox): string[] {
  const own = `${localPart}@${one.domain}`
  const aliases = one.aliases.filter(({ targets }) => targets.includes(own))
  return [own, ...aliases.map(alias => `${alias.localPart}@${one.domain}`)]
}
