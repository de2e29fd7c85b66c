import { z } from 'zod'
import { type Db, maybeOne, one, oneFirst, run } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { get, onAccount } from '../accounts/accounts.ts'
import { leftOut } from '../grammar/grammar.ts'
import type { Host } from '../server/host.ts'
import { type Caller, isRoot } from '../signing-in/callers.ts'
import { answer } from '../operations/writes.ts'
import { refusalOf, refuseOwn, type DomainConflict } from '../sites/refused-names.ts'
import { askForCheck } from './mail-checks.ts'
import { mailDomain, mailTarget } from './mail-grammar.ts'
import {
  domainIdOf,
  listDomains,
  type MailDomain,
  type MailDomainRecords,
  unknownDomain,
} from './mail-rows.ts'
import type { MailboxSize, MeasurableMailbox } from './mailbox-sizes.ts'

// An account's mail domains. Their operations are in the account's lane and complete with it.

export const NewMailDomain = z.strictObject({
  domain: mailDomain.describe('The part after the @; kept in ASCII'),
})

export const MailDomainChange = z.strictObject({
  catch_all: leftOut(mailTarget).describe(
    'The address that gets the mail of all unknown ones; null or an empty string for none',
  ),
})

type Domain = { domain: string }

const subject = ({ domain }: Domain): string => domain

export const add = onAccount<Domain>({
  name: 'mail/add-domain',
  subject,
  async decide(db, { caller, desired: { username, domain }, found, id, rules }) {
    refuseOwn(caller, domain, rules.ownNames)
    const added = await one<Added>(db)`
      select id::text, refusal, allowed, proof
      from panel.add_mail_domain(${id}, ${found.id}, ${domain}, ${isRoot(caller)})`
    if (added.refusal !== null) {
      const { name } = (await get(db, caller, username)).package
      throw toError(domain, { ...added, name })
    }
    return { accountId: found.id, params: { domain_id: added.id } }
  },
})

type Refusal =
  ('off' | 'domains' | 'taken' | 'claimed' | 'own' | 'deleting') | Exclude<DomainConflict, 'domain'>
type Refused = { id: null; refusal: Refusal; allowed: number; proof: string | null }
type Added = { id: string; refusal: null } | Refused

function toError(
  domain: string,
  { refusal, name, allowed, proof }: Refused & { name: string },
): PanelError {
  switch (refusal) {
    case 'off':
      return new PanelError('mail_off', 'This server has no mail service')
    case 'domains': {
      const counted = allowed === 1 ? '1 mail domain' : `${allowed} mail domains`
      const words = `The package ${name} allows ${allowed === 0 ? 'no mail' : counted}`
      return new PanelError('too_many_mail_domains', words)
    }
    case 'own':
      return new PanelError('domain_taken', `The account has the mail domain ${domain} already`, {
        field: 'domain',
      })
    case 'deleting':
      // Not stored: the removal takes moments.
      return new PanelError('unavailable', `${domain} is being removed; try again in a minute`)
    case 'taken':
      return refusalOf(domain, 'domain')
    case 'claimed': {
      const words =
        `Another account has the mail domain ${domain}, but has not proved it. Set a TXT record ` +
        `at _panel-mail.${domain} with the text panel-mail=${proof} and try again after an hour`
      return new PanelError('domain_taken', words, { field: 'domain' })
    }
    default:
      return refusalOf(domain, refusal)
  }
}

type Change = Domain & { catch_all?: string | null | undefined }

/** Changes the address that gets the mail of all unknown ones; null for none. */
export const set = onAccount<Change>({
  name: 'mail/set-domain',
  subject: ({ domain, catch_all: to }) => (to ? `${domain}, ${to}` : domain),
  async decide(db, { caller, desired: { username, domain, catch_all: to }, found }) {
    const domainId = await domainIdOf(db, found.id, domain)
    if (to === undefined) {
      throw new PanelError('invalid', 'Nothing to change: send catch_all', { field: 'catch_all' })
    }
    if (to !== null) {
      const { name, mailCatchAll } = (await get(db, caller, username)).package
      const words = `The package ${name} allows no catch-all address`
      if (!mailCatchAll) {
        throw new PanelError('catch_all_not_allowed', words, { field: 'catch_all' })
      }
    }
    return { accountId: found.id, params: { domain_id: domainId, catch_all: to } }
  },
})

/** Removes a mail domain with its aliases; mailboxes have to be removed before. */
export const remove = onAccount<Domain>({
  name: 'mail/remove-domain',
  subject,
  async decide(db, { desired: { domain }, found }) {
    const domainId = await domainIdOf(db, found.id, domain)
    const hasMailboxes = await oneFirst<boolean>(db)`
      select exists (select from panel.mailboxes m where m.domain_id::text = ${domainId})`
    if (hasMailboxes) throw inUse(domain)
    return { accountId: found.id, params: { domain_id: domainId } }
  },
})

/**
 * Has the courier check a domain's DNS records now, which were perhaps set a moment ago; the
 * request does not wait for it.
 */
export const check = onAccount<Domain>({
  name: 'mail/check-domain',
  subject,
  async decide(db, { desired: { domain }, found }) {
    await askForCheck(db, found.id, domain)
    const domainId = await domainIdOf(db, found.id, domain)
    const [one] = await listDomains(db, found.id, domainId)
    return { accountId: found.id, answer: answer(200, one!.shown) }
  },
})

export const inUse = (domain: string): PanelError =>
  new PanelError('mail_domain_in_use', `${domain} has mailboxes: remove them first`)

/** Returns the mail domains of an account that the caller sees. */
export async function listFor(db: Db, caller: Caller, username: string): Promise<MailDomain[]> {
  const { id } = await get(db, caller, username)
  return (await listDomains(db, id)).map(({ shown }) => shown)
}

/**
 * Returns one mail domain of an account that the caller sees, with its DNS records.
 *
 * @throws {PanelError} `mail_domain_unknown`
 */
export async function getFor(
  db: Db,
  caller: Caller,
  { username, domain }: { username: string; domain: string },
): Promise<MailDomainRecords> {
  const { id } = await get(db, caller, username)
  const [found] = await listDomains(db, id, await domainIdOf(db, id, domain))
  if (found === undefined) throw unknownDomain()
  return { ...found.shown, records: found.records }
}

/** The functions for mail that the machine offers the worker (src/host/mail-hosting/). */
export type MailService = {
  /** Returns the public key of a domain's signatures, in base64; undefined if it has none. */
  publicKey(domain: string, selector: string): string | undefined
  /** Measures the messages of mailboxes, some at a time; leaves out those that cannot be. */
  measure(mailboxes: readonly MeasurableMailbox[]): AsyncIterable<MailboxSize[]>
  /** Ends the open connections of a mailbox, for instance with its former password. */
  endConnections(mailbox: string): Promise<void>
}

export const mailService = (host: Pick<Host, 'service'>): MailService =>
  host.service('mailboxes') as MailService

/** Records the public key that the machine has for a domain. */
export async function recordKey(db: Db, service: MailService, id: string | null): Promise<void> {
  const found = await maybeOne<Key>(db)`
    select domain, dkim_selector as selector from panel.mail_domains where id::text = ${id}`
  if (found !== undefined) await recordKeyOf(db, service, found)
}

/**
 * Records the public keys of an account's domains: the machine makes a key that was lost again, and
 * the DNS record has to have the new one.
 */
export async function recordKeys(db: Db, host: Pick<Host, 'service'>, keys: readonly Key[] = []) {
  for (const key of keys) await recordKeyOf(db, mailService(host), key)
}

type Key = { domain: string; selector: string }

async function recordKeyOf(db: Db, service: MailService, { domain, selector }: Key): Promise<void> {
  const key = service.publicKey(domain, selector)
  if (key !== undefined) await run(db)`select panel.record_mail_key(${domain}, ${selector}, ${key})`
}
