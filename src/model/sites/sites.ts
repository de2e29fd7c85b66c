import { z } from 'zod'
import { one, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import {
  account as accountSubject,
  get,
  onAccount,
  sitesOf,
  toAccount,
} from '../accounts/accounts.ts'
import { type Caller, isRoot } from '../signing-in/callers.ts'
import type { AccountSubject } from '../operations/operations.ts'
import type { Limits } from '../sellers/package-limits.ts'
import { answer } from '../operations/writes.ts'
import { refusePhp } from './php-limits.ts'
import {
  findSite,
  type Hashes,
  hashUsers,
  toPatch,
  unknown,
  whole,
  type SiteChange,
} from './site-changes.ts'

// An account's websites, one by one. Their operations are in the account's lane and complete with
// it.

/** The functions by which operations write a website's row when they start and end. */
export const site = {
  ...{ ...accountSubject, find: 'find_site', writeDesired: 'write_desired_site' },
  about: z.object({
    siteId: z.string().nullable(),
    domain: z.string().nullable(),
    /** Whether PHP settings change. */
    changesPhp: z.boolean().nullish(),
  }),
} satisfies AccountSubject<unknown>

type Domain = { domain: string }

const subject = ({ domain }: Domain): string => domain

export const add = onAccount<Domain>({
  name: 'site/add',
  subject,
  async decide(db, { caller, desired: { domain }, found, id, rules }) {
    refuseOwn(caller, domain, rules.ownNames)
    const {
      id: siteId,
      refusal,
      allowed,
    } = await one<Added>(db)`
      select id, refusal, allowed
      from panel.add_site(${id}, ${found.id}, ${domain}, ${isRoot(caller)})`
    if (refusal !== null) throw refusalOf(domain, refusal, allowed)
    return { accountId: found.id, params: { site_id: siteId, domain } }
  },
})

export const remove = onAccount<Domain>({
  name: 'site/remove',
  subject,
  async decide(db, { caller, desired: { username, domain } }) {
    const account = await get(db, caller, username)
    // A website that could not be added is already marked for removal.
    const desired = account.sites.find(
      one => one.domain === domain && (one.desired !== 'absent' || !one.isNew),
    )
    if (desired === undefined) throw unknown(domain)
    return { accountId: account.id, params: { site_id: desired.id, domain } }
  },
})

/** Changes settings of a website, at least one; `isWhole` means that it has no other redirects. */
export const set = onAccount<Domain & { change: SiteChange; isWhole?: boolean }, Hashes>({
  name: 'site/set',
  subject,
  prepare: ({ change }) => hashUsers(change),
  async decide(db, { caller, desired, found, prepared }) {
    const { username, domain, change, isWhole = false } = desired
    const before = await findSite(db, found, domain)
    if (change.php) {
      const { package: allowed } = await get(db, caller, username)
      refusePhp(change.php, before.php, allowed)
    }
    const settings = toPatch(isWhole ? whole(change, before) : change, prepared, before)
    return { accountId: found.id, params: { site_id: before.id, domain, settings } }
  },
})

/**
 * Rechecks a website after its DNS records or files were changed: the courier checks at once where
 * it points, and the worker what its .htaccess files contain; the request waits for neither.
 */
export const look = onAccount<Domain>({
  name: 'site/look',
  subject,
  async decide(db, { caller, desired: { username, domain } }) {
    const account = await get(db, caller, username)
    const site = sitesOf(account).find(one => one.domain === domain)
    if (site === undefined) throw unknown(domain)
    const why = await oneFirst<'none' | 'busy' | 'ordered' | null>(db)`
      select panel.recheck_site(${site.id})`
    if (why === 'ordered') {
      const words =
        'It was ordered less than 20 minutes ago; the authority limits how often: try again later'
      throw new PanelError('invalid', words)
    }
    return { accountId: account.id, answer: answer(200, toAccount(account)) }
  },
})

type Added = { id: string | null; refusal: Refusal | null; allowed: number }
export type DomainConflict = 'domain' | 'neighbour' | 'shared-parent'
type Refusal = 'sites' | DomainConflict

const websites = (count = 0): string => (count === 1 ? '1 website' : `${count} websites`)

/** Refuses a website for an account of a package that allows none. */
export function refuseWithout({ max_sites }: Pick<Limits, 'max_sites'>, name: string): void {
  if (max_sites > 0) return
  const words = `domain is not available: ${name} has no website`
  throw new PanelError('too_many_sites', words, { field: 'domain' })
}

/** Returns why an account cannot get a domain, in words. */
export function refusalOf(domain: string, refusal: Refusal, allowed?: number): PanelError {
  const name = `domain ${domain}`
  const sentences: Record<Refusal, string> = {
    sites: `The package allows ${websites(allowed)}, and the account already has that many`,
    domain: `${name} is taken`,
    neighbour: `${name} is a subdomain or a parent of a domain that is taken`,
    'shared-parent':
      `${name} is a shared parent or a parent of one: ` +
      'only root can add it, with: panel site add',
  }
  if (refusal === 'sites') return new PanelError('too_many_sites', sentences.sites)
  return taken(sentences[refusal])
}

const taken = (sentence: string): PanelError =>
  new PanelError('domain_taken', sentence, { field: 'domain' })

/**
 * Refuses the panel's own host names and all names below them: an account with one could serve the
 * panel's pages, set cookies for them, or get a certificate for them. A website above one could set
 * cookies too: only root on the command line can add it, for the hoster.
 *
 * @throws {PanelError} `domain_taken`
 */
export function refuseOwn(
  caller: Pick<Caller, 'id'>,
  domain: string,
  ownNames: readonly string[],
): void {
  for (const own of ownNames) {
    if ([domain, `www.${domain}`].includes(own)) {
      throw taken(`domain ${domain} is the panel's own`)
    }
    if (domain.endsWith(`.${own}`)) {
      throw taken(`domain ${domain} is below the panel's own, ${own}`)
    }
    if (!isRoot(caller) && own.endsWith(`.${domain}`)) {
      const words = 'only root can add it, with: panel site add'
      throw taken(`domain ${domain} is above the panel's own: ${words}`)
    }
  }
}
