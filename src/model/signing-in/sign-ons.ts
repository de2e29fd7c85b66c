import { z } from 'zod'
import { type Db, sql, oneFirst } from '../../db.ts'
import { browserOf, hashCookie, newCookie, type Visitor } from './sessions.ts'

// Single sign-on links: the token is only in the link; rows store its SHA-256.

/** A link as the API returns it. */
export const SignOnLink = z.strictObject({ url: z.url(), expires_at: z.iso.datetime() })

// Times are the database's, because the processes that create and use a link may have different
// clocks.
/** A link is valid once and for 60 seconds (specification, Limits). */
const linkSeconds = 60

/** Creates a link's token for an account, in the transaction of the operation that requests it. */
export async function mint(
  db: Db,
  operationId: string,
  accountId: string,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newCookie()
  const expiresAt = await oneFirst<Date>(db)`
    insert into panel.sign_ons (hash, account_id, expires_at, epoch, token_id)
    select ${hashCookie(token)}, a.id, clock_timestamp() + make_interval(secs => ${linkSeconds}),
      a.sign_on_epoch, o.token_id
    from panel.accounts a, panel.operations o
    where a.id = ${accountId} and o.id = ${operationId}
    returning expires_at`
  return { token, expiresAt }
}

// Returns whether a link `s` of the account `a` is still valid: since it was created the account
// has been active with the same password, and the token that requested it has not become void.
const isValid = sql`s.expires_at > now() and a.state = 'active' and s.epoch = a.sign_on_epoch
  and not exists (
    select from panel.tokens t join panel.operators w on w.id = t.operator_id
    where t.id = s.token_id
      and (t.revoked_at is not null or t.credential_epoch <> w.credential_epoch))`

/** Returns whether a link can still be used; changes nothing. */
export const isUsable = (db: Db, token: string) => oneFirst<boolean>(db)`
  select exists (
    select from panel.sign_ons s
    join panel.accounts a on a.id = s.account_id
    where s.hash = ${hashCookie(token)} and s.used_at is null and ${isValid})`

/**
 * Uses up a link and opens a session of its account; returns nothing if it was used or has expired.
 * One statement, so that it works once.
 */
export async function openSession(
  db: Db,
  token: string,
  visitor: Visitor,
): Promise<string | undefined> {
  const cookie = newCookie()
  const opened = await oneFirst<string | null | undefined>(db)`
    with used as (
      update panel.sign_ons s set used_at = now()
      from panel.accounts a
      where s.hash = ${hashCookie(token)} and s.used_at is null and a.id = s.account_id
        and ${isValid}
      returning s.account_id, s.epoch, s.token_id
    )
    select panel.open_session(
      ${hashCookie(cookie)}, null, account_id, epoch, ${visitor.address}, ${browserOf(visitor)},
      true, token_id)
    from used`
  return opened == null ? undefined : cookie
}
