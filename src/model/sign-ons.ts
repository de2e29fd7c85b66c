import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { count, type Db, value } from '../db.ts'
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

/** Makes a link's token for an account; inside the caller's transaction. */
export async function mint(db: Db, accountId: string): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken()
  const expiresAt = await value<Date>(db)`
    insert into panel.sign_ons (hash, account_id, expires_at)
    values (${hash(token)}, ${accountId}, clock_timestamp() + make_interval(secs => ${linkSeconds}))
    returning expires_at`
  return { token, expiresAt }
}

/** Whether a link can still be used; changes nothing. */
export const isUsable = (db: Db, token: string) => value<boolean>(db)`
  select exists (
    select from panel.sign_ons s
    join panel.accounts a on a.id = s.account_id
    where s.hash = ${hash(token)} and s.used_at is null and s.expires_at > now()
      and a.state = 'active')`

/**
 * Uses a link up and opens a session of its account; undefined if it was used or has expired, or if
 * the account is not active any more. One statement, so that it works once.
 */
export async function openSession(db: Db, token: string): Promise<string | undefined> {
  const session = newToken()
  const opened = await count(db)`
    with used as (
      update panel.sign_ons s set used_at = now()
      from panel.accounts a
      where s.hash = ${hash(token)} and s.used_at is null and s.expires_at > now()
        and a.id = s.account_id and a.state = 'active'
      returning s.account_id
    )
    insert into panel.account_sessions (hash, account_id, expires_at)
    select ${hash(session)}, account_id, now() + make_interval(secs => ${sessionSeconds}) from used`
  return opened === 1 ? session : undefined
}

/** The account that a session belongs to, as long as it is active. */
export const findSession = (db: Db, session: string) =>
  value<AccountRecord | undefined>(db, 'find_session')`
    select panel.account_record(a.id)
    from panel.account_sessions s
    join panel.accounts a on a.id = s.account_id
    where s.hash = ${hash(session)} and s.expires_at > now() and a.state = 'active'`
