import { createHash, createHmac, randomBytes } from 'node:crypto'
import { all, type Db, maybeOne, oneFirst } from '../../db.ts'
import type { Caller } from './callers.ts'
import { toPerson, type Person } from './second-factors.ts'

// Sessions of administrators, resellers and customers: the browser keeps 256 random bits, of which
// rows store the SHA-256. A session ends after 12 hours without use, after 7 days at the latest,
// and with the credentials that it was opened with.

/** A signed-in user, as every page sees it. */
export type Session = {
  id: string
  caller: Caller
  /** The operator's name, or the account's username. */
  name: string
  person: Person
  /** Included in each form, so that no other site can send one. */
  formToken: string
  /** The operator who is signed in as this customer; null without impersonation. */
  impersonator: { name: string } | null
  /** Whether accounts of the server have mail: only then are there links to pages about it. */
  hasMail: boolean
}

/** The origin of a new session, as far as it is known. */
export type Visitor = { address: string | undefined; browser: string | undefined }

/** Returns the hash of the cookie of a session or link: only the hash is stored. */
export const hashCookie = (cookie: string): Buffer => createHash('sha256').update(cookie).digest()
export const newCookie = (): string => randomBytes(32).toString('base64url')

/** Returns whether a text has the form of a cookie; others need no query. */
export const isCookie = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** Limits the length of a user agent. */
export const browserOf = ({ browser }: Visitor): string | undefined => browser?.slice(0, 300)

/**
 * Opens a session of an operator. Returns nothing if its seller is suspended, or if the credential
 * epoch has changed since the credentials were checked.
 */
export async function openOperatorSession(
  db: Db,
  operatorId: string,
  visitor: Visitor & { epoch?: number },
): Promise<string | undefined> {
  return open(db, { operatorId, accountId: null, parentId: null }, visitor)
}

/**
 * Opens a session of an account. Returns nothing if the account is not active. With a parent, the
 * operator of that session signs in as the account, if it sees it, for an hour at most and no
 * longer than its own session.
 */
export async function openAccountSession(
  db: Db,
  accountId: string,
  {
    parent = null,
    ...visitor
  }: Visitor & { epoch?: number; parent?: string | null; isLink?: boolean },
): Promise<string | undefined> {
  return open(db, { operatorId: null, accountId, parentId: parent }, visitor)
}

async function open(
  db: Db,
  of: { operatorId: string | null; accountId: string | null; parentId: string | null },
  { epoch, isLink = false, ...visitor }: Visitor & { epoch?: number; isLink?: boolean },
): Promise<string | undefined> {
  const cookie = newCookie()
  const id = await oneFirst<string | null>(db)`
    select panel.open_session(
      ${hashCookie(cookie)}, ${of.operatorId}, ${of.accountId}, ${epoch}, ${visitor.address},
      ${browserOf(visitor)}, ${isLink}, null, ${of.parentId})`
  return id === null ? undefined : cookie
}

type Found = {
  id: string
  role: Caller['role']
  seller_id: string
  account_id: string | null
  operator_id: string | null
  name: string
  impersonator: string | null
  hasMail: boolean
}

/**
 * Returns the session of a cookie while it lasts, in one round trip; its use is recorded once a
 * minute.
 */
export async function findSession(
  db: Db,
  cookie: string,
  address?: string,
): Promise<Session | undefined> {
  const found = await maybeOne<Found>(db, 'find_session')`
    select id, role, seller_id, account_id, operator_id, name, impersonator,
      (select mail is not null from panel.server) as "hasMail"
    from panel.find_session(${hashCookie(cookie)})`
  if (found === undefined) return undefined
  const { id, role, name, impersonator } = found
  const caller = {
    id: `session:${id}`,
    role,
    sellerId: found.seller_id,
    accountId: found.account_id,
    address: address ?? null,
    ...(impersonator === null ? {} : { impersonator }),
  }
  return {
    id,
    caller,
    name,
    person: toPerson(found.operator_id, found.account_id),
    formToken: createHmac('sha256', cookie).update('panel: a form').digest('base64url'),
    impersonator: impersonator === null ? null : { name: impersonator },
    hasMail: found.hasMail,
  }
}

/**
 * Returns the contact, if known, for a session that is refused because its operator is suspended.
 */
export const findSuspended = (db: Db, cookie: string) => maybeOne<{ contact: string | null }>(db)`
  select contact from panel.find_suspended(${hashCookie(cookie)}) as contact`

/** Signs out; requests in progress continue. May be repeated. */
export const endSession = (db: Db, { id, caller }: Pick<Session, 'id' | 'caller'>) =>
  oneFirst<boolean>(db)`select panel.end_session(${id}, ${id}, ${caller.address})`

/** Returns whether a session may request one more change: 60 at once, then one per second. */
export const takeWrite = (db: Db, { id }: Pick<Session, 'id'>) =>
  oneFirst<boolean>(db)`select panel.take_write(${id})`

/** A session as lists show it. */
export type ListedSession = {
  id: string
  address: string | null
  browser: string | null
  opened_at: Date
  last_seen_at: Date
  expires_at: Date
  /** The operator who signed in as the customer, directly or through a billing system. */
  by: string | null
  is_own: boolean
}

/** Returns the sessions of the caller's user, most recently used first. */
export const listSessions = (db: Db, { id }: Caller) => all<ListedSession>(db)`
  select id, address, browser, opened_at, last_seen_at, expires_at, by,
    id::text = ${sessionIdOf(id)} as is_own
  from panel.list_sessions(${sessionIdOf(id)})`

/**
 * Ends one of the caller's sessions and the requests that wait for it; for the current session,
 * signs out. Returns false if it is not the caller's or has ended.
 */
export const revokeSession = (db: Db, { id, address }: Caller, other: string) => oneFirst<boolean>(
  db,
)`
  select coalesce((
    select panel.end_session(id, ${sessionIdOf(id)}, ${address})
    from panel.list_sessions(${sessionIdOf(id)}) where id::text = ${other}), false)`

/** Ends all but the current session; returns how many there were. */
export const endOthers = (db: Db, { id, address }: Caller) => oneFirst<number>(db)`
  select count(*) filter (where panel.end_session(id, ${sessionIdOf(id)}, ${address}))::int
  from panel.list_sessions(${sessionIdOf(id)}) where id <> ${sessionIdOf(id)}`

/** A session as an administrator sees it. */
export type SignedIn = Omit<ListedSession, 'expires_at'> & {
  name: string
  role: Caller['role']
  /** The total number. */
  total: number
}

/** Returns all users' sessions, for a signed-in administrator; most recently used first. */
export const listSignedIn = (db: Db, { id }: Caller, limit: number) => all<SignedIn>(db)`
  select id, name, role, address, browser, opened_at, last_seen_at, by, total::int as total,
    id::text = ${sessionIdOf(id)} as is_own
  from panel.list_signed_in(${sessionIdOf(id)}, ${limit})`

/** Ends any user's session for an administrator; returns false if it has ended. */
export const revokeAnySession = (db: Db, { id, address }: Caller, other: string) =>
  oneFirst<boolean>(db)`select panel.revoke_session(${other}, ${sessionIdOf(id)}, ${address})`

const sessionIdOf = (callerId: string): string => callerId.replace(/^session:/, '')
