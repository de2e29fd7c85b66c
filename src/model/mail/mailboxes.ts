import { z } from 'zod'
import { type Db, one } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { get, onAccount } from '../accounts/accounts.ts'
import { leftOut } from '../grammar/grammar.ts'
import type { Caller } from '../signing-in/callers.ts'
import { hashForMail } from '../signing-in/linux-password.ts'
import { Autoresponder } from './autoresponder.ts'
import { Filters } from './filters.ts'
import { mailboxAddress, mailPassword, partsOf, quotaMb } from './mail-grammar.ts'
import { listMailboxes, type Mailbox, mailboxIdOf, unknownDomain } from './mail-rows.ts'

// Mailboxes of an account's mail domains. A clear password goes no further than its hash, made
// before the claim.

/** The limit of a mailbox whose create names none, in MB. */
const initialQuotaMb = 1_024

export const NewMailbox = z.strictObject({
  mailbox: mailboxAddress.describe("An address at one of the account's mail domains"),
  password: mailPassword.describe('Any characters but control characters, at most 72 bytes'),
  quota_mb: leftOut(quotaMb).describe(
    `The maximum size in MB, ${initialQuotaMb} if it is left out; the package's disk quota ` +
      'limits all of the account',
  ),
})

export const MailboxChange = z.strictObject({
  quota_mb: leftOut(quotaMb).describe('Left out, it keeps its value'),
  autoresponder: z
    .preprocess(sent => (sent === '' ? null : sent), Autoresponder.nullish())
    .describe('Left out, it keeps its value; null or an empty string for none'),
  filters: leftOut(Filters).describe('Left out, they keep their value; an empty list for none'),
})

export const MailboxPassword = z.strictObject({ password: mailPassword })

/**
 * Checks a password that a command has read.
 *
 * @throws {PanelError} `invalid`
 */
export function readMailPassword(password: string): string {
  const { data, error } = mailPassword.safeParse(password)
  if (data === undefined) {
    throw new PanelError('invalid', `The password ${error?.issues[0]?.message}`)
  }
  return data
}

type OfMailbox = { mailbox: string }
type Hash = { hash: string }

const subject = ({ mailbox }: OfMailbox): string => mailbox
const hashed = async ({ password }: { password: string }): Promise<Hash> => ({
  hash: await hashForMail(password),
})

export const add = onAccount<z.infer<typeof NewMailbox>, Hash>({
  name: 'mail/add-mailbox',
  subject,
  prepare: hashed,
  async decide(db, { caller, desired, found, prepared: { hash }, id }) {
    const { local, domain } = partsOf(desired.mailbox)
    const added = await one<Added>(db)`
      select id::text, refusal, allowed
      from panel.add_mailbox(
        ${id}, ${found.id}, ${domain}, ${local}, ${hash}, ${desired.quota_mb ?? initialQuotaMb})`
    if (added.refusal !== null) {
      const { name } = (await get(db, caller, desired.username)).package
      throw toError(desired.mailbox, added, name)
    }
    return { accountId: found.id, params: { mailbox_id: added.id } }
  },
})

type Refused = {
  id: null
  refusal: 'unknown' | 'mailboxes' | 'taken' | 'deleting'
  allowed: number
}
type Added = { id: string; refusal: null } | Refused

function toError(mailbox: string, { refusal, allowed }: Refused, packageName: string): PanelError {
  switch (refusal) {
    case 'unknown':
      return unknownDomain()
    case 'mailboxes': {
      const counted = allowed === 1 ? '1 mailbox' : `${allowed} mailboxes`
      const words =
        `The package ${packageName} allows ${counted}, ` + 'and the account already has that many'
      return new PanelError('too_many_mailboxes', words)
    }
    case 'taken':
      return new PanelError('mailbox_taken', `There is a mailbox ${mailbox} already`, {
        field: 'mailbox',
      })
    case 'deleting':
      // Not stored: the removal takes moments.
      return new PanelError('unavailable', `${mailbox} is being removed; try again in a minute`)
  }
}

type Change = OfMailbox & z.infer<typeof MailboxChange>

export const set = onAccount<Change>({
  name: 'mail/set-mailbox',
  subject,
  async decide(db, { desired: { mailbox, quota_mb: quota, autoresponder, filters }, found }) {
    const mailboxId = await mailboxIdOf(db, found.id, mailbox)
    const change = {
      ...(quota && { quota_mb: quota }),
      ...(autoresponder !== undefined && { autoresponder }),
      ...(filters && { filters }),
    }
    if (Object.keys(change).length === 0) {
      throw new PanelError('invalid', 'Nothing to change: send quota_mb, autoresponder or filters')
    }
    return { accountId: found.id, params: { mailbox_id: mailboxId, ...change } }
  },
})

export const setPassword = onAccount<OfMailbox & { password: string }, Hash>({
  name: 'mail/set-password',
  subject,
  prepare: hashed,
  async decide(db, { desired: { mailbox }, found, prepared: { hash } }) {
    const mailboxId = await mailboxIdOf(db, found.id, mailbox)
    return { accountId: found.id, params: { mailbox_id: mailboxId, hash } }
  },
})

export const remove = onAccount<OfMailbox>({
  name: 'mail/remove-mailbox',
  subject,
  async decide(db, { desired: { mailbox }, found }) {
    return {
      accountId: found.id,
      params: { mailbox_id: await mailboxIdOf(db, found.id, mailbox) },
    }
  },
})

/** Returns the mailboxes of an account that the caller sees. */
export async function listFor(db: Db, caller: Caller, username: string): Promise<Mailbox[]> {
  const { id } = await get(db, caller, username)
  return (await listMailboxes(db, id)).map(({ shown }) => shown)
}
