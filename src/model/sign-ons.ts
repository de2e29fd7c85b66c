import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { count, type Db, sql, value } from '../db.ts'
import type { AccountRecord } from './accounts.ts'

// Single sign-on links: the token is only in the link; rows hold its SHA-256.

/** A link as the API returns it. */
export const SignOnLink = z.strictObject({ url: z.url(), expires_at: z.iso.datetime() })

// Times are the database's, because the processes that make and use a link may differ in clocks.
/** A link is valid once and for 60 seconds (specification, Limits). */
const linkSeconds = 60
/** A session ends after this time, however it is used. */
const sessionSeconds = 12 * 3_600

const hash = (token: string): Buffer => createHash('sha256').update(token).digest()
const newToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of a token; others need no query. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** Makes a link's token for an account, in the transaction of the operation that asks for it. */
export async function mint(
  db: Db,
  operationId: string,
  accountId: string,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken()
  const expiresAt = await value<Date>(db)`
    insert into panel.sign_ons (hash, account_id, expires_at, epoch, token_id)
    select ${hash(token)}, a.id, clock_timestamp() + make_interval(secs => ${linkSeconds}),
      a.sign_on_epoch, o.token_id
    from panel.accounts a, panel.operations o
    where a.id = ${accountId} and o.id = ${operationId}
    returning expires_at`
  return { token, expiresAt }
}

// Whether a link or session `s` of the account `a` is still one: since it was made the account has
// been active with the same password, and the token that asked for it has not become void.
const isValid = sql`s.expires_at > now() and a.state = 'active' and s.epoch = a.sign_on_epoch
  and not exists (
    select from panel.tokens t join panel.owners w on w.id = t.owner_id
    where t.id = s.token_id
      and (t.revoked_at is not null or t.credential_epoch <> w.credential_epoch))`

/** Whether a link can still be used; changes nothing. */
export const isUsable = (db: Db, token: string) => value<boolean>(db)`
  select exists (
    select from panel.sign_ons s
    join panel.accounts a on a.id = s.account_id
    where s.hash = ${hash(token)} and s.used_at is null and ${isValid})`

/**
 * Uses a link up and opens a session of its account; undefined if it was used or is over. One
 * statement, so that it works once.
 */
export async function openSession(db: Db, token: string): Promise<string | undefined> {
  const session = newToken()
  const opened = await count(db)`
    with used as (
      update panel.sign_ons s set used_at = now()
      from panel.accounts a
      where s.hash = ${hash(token)} and s.used_at is null and a.id = s.account_id and ${isValid}
      returning s.account_id, s.epoch, s.token_id
    )
    insert into panel.account_sessions (hash, account_id, expires_at, epoch, token_id)
    select ${hash(session)}, account_id, now() + make_interval(secs => ${sessionSeconds}),
      epoch, token_id
    from used`
  return opened === 1 ? session : undefined
}

/** The account that a session belongs to, until it is over. */
export const findSession = (db: Db, session: string) =>
  value<AccountRecord | undefined>(db, 'find_session')`
    select r.record
    from panel.account_sessions s
    join panel.accounts a on a.id = s.account_id
    cross join panel.account_record(a.id) r
    where s.hash = ${hash(session)} and ${isValid}`
