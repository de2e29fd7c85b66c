import { all, type Db, maybeOne, oneFirst, run, type Pool, transaction } from '../../db.ts'
import { note } from '../history/history.ts'
import { changePassword } from '../sellers/operators.ts'
import { toPerson, type Person } from './second-factors.ts'
import { hashCookie, newCookie } from './sessions.ts'

// Links to choose a new password. The API records a request without checking whether the name
// exists; the courier finds the people, makes a link for each and mails it. Rows store a link's
// SHA-256.

/** The minutes for which a link is valid (sql/functions/own-mail/find_password_link.sql). */
export const linkMinutes = 30

/**
 * Requests a link for the people of a name or an e-mail address. Returns 0, or the seconds after
 * which this address may request one: the same, and after the same time, if there are no people.
 */
export const requestPasswordLink = (
  db: Db,
  entered: string,
  address: string | null | undefined,
): Promise<number> => oneFirst<number>(db)`
  select panel.request_password_link(${meantBy(entered)}, ${address})`

// Everything that was typed is counted, even names that cannot exist.
const meantBy = (entered: string): string => entered.trim().toLowerCase().slice(0, 254)

/** A person who is sent a link. */
export type Addressee = {
  operator_id: string | null
  account_id: string | null
  name: string
  email: string
  has_tokens: boolean
}

/** Returns the people of a request; none if it was answered. */
export const findAddressees = (db: Db, requestId: string) => all<Addressee>(db)`
  select operator_id, account_id, name, email, has_tokens
  from panel.people_of_request(${requestId})`

/** Adds a link for one of them and returns its secret; undefined if it is not theirs any more. */
export async function addPasswordLink(
  db: Db,
  requestId: string,
  { operator_id, account_id }: Addressee,
): Promise<string | undefined> {
  const secret = newCookie()
  const isAdded = await oneFirst<boolean>(db)`
    select panel.add_password_link(
      ${requestId}, ${operator_id}, ${account_id}, ${hashCookie(secret)})`
  return isAdded ? secret : undefined
}

/** Removes a link whose mail was not sent. */
export const removePasswordLink = (db: Db, secret: string) =>
  run(db)`select panel.remove_password_link(${hashCookie(secret)})`

/** Ends a request: all its mails were sent. */
export const endPasswordRequest = (db: Db, requestId: string) =>
  run(db)`select panel.end_password_request(${requestId})`

/** The person whose password a link changes. */
export type LinkOwner = {
  person: Person
  name: string
  role: 'administrator' | 'reseller' | 'customer'
  epoch: number
}

/** Returns whose password a link changes; undefined if it was used, has expired or is void. */
export const findPasswordLink = (db: Db, secret: string) => readLink(db, secret, false)

/** Does the same, and uses the link up: of two at once, one gets nothing. */
export const usePasswordLink = (db: Db, secret: string) => readLink(db, secret, true)

type Row = Omit<LinkOwner, 'person'> & { operator_id: string | null; account_id: string | null }

async function readLink(db: Db, secret: string, isUsed: boolean): Promise<LinkOwner | undefined> {
  const row = await maybeOne<Row>(db)`
    select operator_id, account_id, name, role, epoch
    from panel.find_password_link(${hashCookie(secret)}, ${isUsed})`
  if (row === undefined) return undefined
  const { operator_id, account_id, ...owner } = row
  return { ...owner, person: toPerson(operator_id, account_id) }
}

/** Makes a link usable again whose use has changed nothing. */
export const restorePasswordLink = (db: Db, secret: string) =>
  run(db)`select panel.restore_password_link(${hashCookie(secret)})`

/**
 * Changes an operator's password by a link, which ends all its sessions and voids its tokens; a
 * second factor stays. Returns false if the link is not valid.
 */
export const changePasswordByLink = (
  pool: Pool,
  secret: string,
  password: string,
  address: string | null,
): Promise<boolean> =>
  transaction(pool, async db => {
    const owner = await usePasswordLink(db, secret)
    if (owner === undefined) return false
    await changePassword(db, owner.name, password)
    const by = { id: `operator:${owner.person.id}`, address }
    await note(db, by, { action: 'operator/set-password', about: owner.name })
    return true
  })
