import { z } from 'zod'
import { type Db, one } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { get, onAccount } from '../accounts/accounts.ts'
import type { Caller } from '../signing-in/callers.ts'
import { mailTarget, partsOf } from './mail-grammar.ts'
import { aliasIdOf, listAliases, type MailAlias, unknownDomain } from './mail-rows.ts'

// Addresses of an account's mail domains that lead to others, here or elsewhere. One of the same
// name as a mailbox decides about its mail: to keep a copy, it names the mailbox among its targets.

const maxTargets = 50

const targetsUpTo = (max: number) =>
  z
    .array(mailTarget)
    .min(1, 'must have at least 1 address')
    .max(max, `must have at most ${max} addresses`)

export const AliasTargets = z.strictObject({
  targets: targetsUpTo(maxTargets).describe('Addresses, here or elsewhere'),
})

/** The addresses that a mailbox forwards to, with room for itself to keep a copy. */
export const forwardTargets = targetsUpTo(maxTargets - 1)

type OfAlias = { alias: string }

const subject = ({ alias }: OfAlias): string => alias

/** Sets where an address leads; adds it if the account has none of the name. */
export const set = onAccount<OfAlias & z.infer<typeof AliasTargets>>({
  name: 'mail/set-alias',
  subject: ({ alias, targets }) => `${alias}: ${targets.join(', ')}`.slice(0, 200),
  async decide(db, { caller, desired, found, id }) {
    const { local, domain } = partsOf(desired.alias)
    const targets = [...new Set(desired.targets)]
    const added = await one<Added>(db)`
      select id::text, refusal, allowed
      from panel.add_mail_alias(${id}, ${found.id}, ${domain}, ${local}, ${targets}::text[])`
    if (added.refusal !== null) {
      const { name } = (await get(db, caller, desired.username)).package
      throw toError(desired.alias, added, name)
    }
    return { accountId: found.id, params: { alias_id: added.id, targets } }
  },
})

type Refused = { id: null; refusal: 'unknown' | 'aliases' | 'deleting'; allowed: number }
type Added = { id: string; refusal: null } | Refused

function toError(alias: string, { refusal, allowed }: Refused, packageName: string): PanelError {
  switch (refusal) {
    case 'unknown':
      return unknownDomain()
    case 'aliases': {
      const words = `The package ${packageName} allows ${allowed} mail aliases`
      return new PanelError('too_many_mail_aliases', words)
    }
    case 'deleting':
      // Not stored: the other operation takes moments.
      return new PanelError('unavailable', `${alias} is being changed; try again in a minute`)
  }
}

export const remove = onAccount<OfAlias>({
  name: 'mail/remove-alias',
  subject,
  async decide(db, { desired: { alias }, found }) {
    return { accountId: found.id, params: { alias_id: await aliasIdOf(db, found.id, alias) } }
  },
})

/** Returns the mail aliases of an account that the caller sees. */
export async function listFor(db: Db, caller: Caller, username: string): Promise<MailAlias[]> {
  const { id } = await get(db, caller, username)
  return (await listAliases(db, id)).map(({ shown }) => shown)
}
