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
import { isRoot } from '../signing-in/callers.ts'
import type { AccountSubject } from '../operations/operations.ts'
import { answer } from '../operations/writes.ts'
import { aliasesOf, changeAliases } from './aliases.ts'
import type { AliasChange } from './name-redirects.ts'
import { refusePhp } from './php-limits.ts'
import { refusalOf, refuseOwn, type Refusal } from './refused-names.ts'
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
    /** The names of the settings that change. */
    changes: z.array(z.string()).nullish(),
  }),
} satisfies AccountSubject<unknown>

type Domain = { domain: string }

const subject = ({ domain }: Domain): string => domain

export const add = onAccount<Domain>({
  name: 'site/add',
  subject,
  async decide(db, { caller, desired: { username, domain }, found, id, rules }) {
    refuseOwn(caller, domain, rules.ownNames)
    const {
      id: siteId,
      refusal,
      allowed,
    } = await one<Added>(db)`
      select id, refusal, allowed
      from panel.add_site(${id}, ${found.id}, ${domain}, ${isRoot(caller)})`
    if (refusal !== null) {
      const { name } = (await get(db, caller, username)).package
      throw refusalOf(domain, refusal, { name, allowed })
    }
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

type Change = Domain & {
  change: SiteChange
  /** Instead of all further names in `change`. */
  aliases?: AliasChange
  /** Whether it has no other redirects of the kind that is changed. */
  isWhole?: boolean
}

/** Changes settings of a website, at least one. */
export const set = onAccount<Change, Hashes>({
  name: 'site/set',
  subject,
  prepare: ({ change }) => hashUsers(change),
  async decide(db, { caller, desired, found, prepared, id, rules }) {
    const { username, domain, change, isWhole = false } = desired
    const aliases = desired.aliases ?? aliasesOf(change)
    const before = await findSite(db, found, domain)
    if (change.php) refusePhp(change.php, before.php, (await get(db, caller, username)).package)
    const settings = toPatch(isWhole ? whole(change, before) : change, prepared, before, aliases)
    const params = { site_id: before.id, domain, settings }
    if (aliases === undefined) return { accountId: found.id, params }
    for (const name of aliases.added) refuseOwn(caller, name, rules.ownNames, 'aliases')
    const ids = { operationId: id, accountId: found.id, siteId: before.id }
    const { name } = (await get(db, caller, username)).package
    const removed = await changeAliases(db, ids, aliases, isRoot(caller), name)
    return { accountId: found.id, params: { ...params, removed_aliases: removed } }
  },
})

/**
 * Rechecks a website after its DNS records or files were changed: the courier checks at once where
 * it points, and the worker what its .htaccess files contain; the request waits for neither.
 */
export const recheck = onAccount<Domain>({
  name: 'site/recheck',
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
