import { createHash, createHmac, randomBytes } from 'node:crypto'
import { all, type Db, maybeOne, oneFirst } from '../../db.ts'
import type { Caller } from './callers.ts'
import { toPerson, type Person } from './second-factors.ts'

// Sessions of administrators, resellers and customers: what the browser keeps is 256 random bits,
// of which rows hold the SHA-256. One ends after 12 hours without use, after 7 days at the latest,
// and with the credentials that it was opened with.

/** Who is signed in, as every page sees it. */
export type Session = {
  id: string
  caller: Caller
  /** The owner's name, or the account's username. */
  name: string
  person: Person
  /** Bound into each form, so that no other site can send one. */
  formToken: string
  /** Who has signed in as this customer, if it is not itself. */
  impersonator: { name: string } | null
}

/** Where a session is opened, as far as that is known. */
export type Visitor = { address: string | undefined; browser: string | undefined }

/** What a browser keeps of a session or link: only its hash is stored. */
export const hashCookie = (cookie: string): Buffer => createHash('sha256').update(cookie).digest()
export const newCookie = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of one; others need no query. */
export const isCookie = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** User agents may have any length. */
export const browserOf = ({ browser }: Visitor): string | undefined => browser?.slice(0, 300)

/**
 * Opens a session of an owner; nothing where its seller is suspended, or its credentials are of
 * another epoch by now than they were found right in.
 */
export async function openOperatorSession(
  db: Db,
  operatorId: string,
  visitor: Visitor & { epoch?: number },
): Promise<string | undefined> {
  return open(db, { operatorId, accountId: null, parentId: null }, visitor)
}

/**
 * Opens a session of an account; nothing where it is not active. With a parent the owner of that
 * session signs in as the account, if it sees it, for an hour at most and not beyond its own.
 */
export async function openAccountSession(
  db: Db,
  accountId: string,
  { parent = null, ...visitor }: Visitor & { epoch?: number; parent?: string | null },
): Promise<string | undefined> {
  return open(db, { operatorId: null, accountId, parentId: parent }, visitor)
}

async function open(
  db: Db,
  of: { operatorId: string | null; accountId: string | null; parentId: string | null },
  { epoch, ...visitor }: Visitor & { epoch?: number },
): Promise<string | undefined> {
  const cookie = newCookie()
  const id = await oneFirst<string | null>(db)`
    select panel.open_session(
      ${hashCookie(cookie)}, ${of.operatorId}, ${of.accountId}, ${epoch}, ${visitor.address},
      ${browserOf(visitor)}, false, null, ${of.parentId})`
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
}

/** The session of a cookie while it lasts, in one round trip; once a minute its use is noted. */
export async function findSession(
  db: Db,
  cookie: string,
  address?: string,
): Promise<Session | undefined> {
  const found = await maybeOne<Found>(db, 'find_session')`
    select id, role, seller_id, account_id, operator_id, name, impersonator
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
  }
}

/** Whom to ask, if known, where a cookie's session is refused since its owner is suspended. */
export const findSuspended = (db: Db, cookie: string) => maybeOne<{ contact: string | null }>(db)`
  select contact from panel.find_suspended(${hashCookie(cookie)}) as contact`

/** Signs out; what was asked for goes on. May be repeated. */
export const endSession = (db: Db, { id, caller }: Pick<Session, 'id' | 'caller'>) =>
  oneFirst<boolean>(db)`select panel.end_session(${id}, ${id}, ${caller.address})`

/** Whether it may ask for one more change: 60 at once, one a second after that. */
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
  /** The owner that has signed in as the customer, or whose billing system has. */
  by: string | null
  is_own: boolean
}

/** The sessions of the caller's owner or account, the one used last first. */
export const listSessions = (db: Db, { id }: Caller) => all<ListedSession>(db)`
  select id, address, browser, opened_at, last_seen_at, expires_at, by,
    id::text = ${sessionIdOf(id)} as is_own
  from panel.list_sessions(${sessionIdOf(id)})`

/**
 * Ends one of them, and what waits for it; the caller's own is signed out. False where it is none
 * of the caller's, or is over.
 */
export const revokeSession = (db: Db, { id, address }: Caller, other: string) => oneFirst<boolean>(
  db,
)`
  select coalesce((
    select panel.end_session(id, ${sessionIdOf(id)}, ${address})
    from panel.list_sessions(${sessionIdOf(id)}) where id::text = ${other}), false)`

/** Ends all but the caller's own; returns how many there were. */
export const endOthers = (db: Db, { id, address }: Caller) => oneFirst<number>(db)`
  select count(*) filter (where panel.end_session(id, ${sessionIdOf(id)}, ${address}))::int
  from panel.list_sessions(${sessionIdOf(id)}) where id <> ${sessionIdOf(id)}`

/** A session as an administrator sees it. */
export type SignedIn = Omit<ListedSession, 'expires_at'> & {
  name: string
  role: Caller['role']
  /** How many there are in all. */
  total: number
}

/** Everybody's sessions, for an administrator who is signed in; the one used last first. */
export const listSignedIn = (db: Db, { id }: Caller, limit: number) => all<SignedIn>(db)`
  select id, name, role, address, browser, opened_at, last_seen_at, by, total::int as total,
    id::text = ${sessionIdOf(id)} as is_own
  from panel.list_signed_in(${sessionIdOf(id)}, ${limit})`

/** Ends anybody's session for an administrator; false where it is over. */
export const revokeAnySession = (db: Db, { id, address }: Caller, other: string) =>
  oneFirst<boolean>(db)`select panel.revoke_session(${other}, ${sessionIdOf(id)}, ${address})`

const sessionIdOf = (callerId: string): string => callerId.replace(/^session:/, '')
