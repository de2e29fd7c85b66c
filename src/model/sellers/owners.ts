import { z } from 'zod'
import { anyFirst, type Db, maybeOne, oneOrThrow, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { email, password, username } from '../grammar/grammar.ts'
import { hashPassword } from '../signing-in/password-hash.ts'

// The people who sign in: resellers, and administrators, who all act for one seller, the house.

export const NewOwner = z.strictObject({
  name: z.union(
    [username, z.literal('admin')],
    'must be 2 to 32 of a-z, 0-9, _ and -, from a letter to a letter or digit, not reserved',
  ),
  role: z.enum(['administrator', 'reseller'], 'must be administrator or reseller'),
  email,
  password,
})

/**
 * Adds an owner. A reseller becomes a seller of its own, still without a plan.
 *
 * @throws {PanelError} `invalid` where the name is an owner's or an account's
 */
export async function addOwner(db: Db, input: z.input<typeof NewOwner>): Promise<void> {
  const owner = NewOwner.parse(input)
  const passwordHash = await hashPassword(owner.password)
  const isAdded = await oneFirst<boolean>(db)`
    select panel.add_owner(${owner.name}, ${owner.role}, ${owner.email}, ${passwordHash})`
  if (isAdded) return
  const isOwners = (await findOwner(db, owner.name)) !== undefined
  const whose = isOwners ? 'An operator' : 'An account'
  throw new PanelError('invalid', `${whose} ${owner.name} already exists`, { field: 'name' })
}

/**
 * Changes an owner's password. That raises the credential epoch, which voids all earlier tokens and
 * other sessions of the owner; returns how many valid tokens there were.
 *
 * @throws {PanelError} `not_found`
 */
export async function changePassword(
  db: Db,
  name: string,
  to: string,
  /** The owner's own session, which stays. */
  sessionId: string | null = null,
): Promise<number> {
  const passwordHash = await hashPassword(password.parse(to))
  const voided = await oneFirst<number | null>(db)`
    select panel.change_password(${name}, ${passwordHash}, ${sessionId})`
  if (voided === null) throw unknownOwner(name)
  return voided
}

/** An owner's number, its part and the seller that it acts for. */
export type Owner = { id: string; role: 'administrator' | 'reseller'; sellerId: string }

/** @throws {PanelError} `not_found` */
export const getOwner = (db: Db, name: string) => oneOrThrow<Owner>(db, () => unknownOwner(name))`
  select id, role, seller_id as "sellerId" from panel.owners where name = ${name}`

export const findOwner = (db: Db, name: string) =>
  maybeOne<{ id: string }>(db)`select id from panel.owners where name = ${name}`

/** The administrator that there has been for longest; undefined where there is none. */
export const findFirstAdministrator = (db: Db) =>
  maybeOne<{ name: string }>(db)`
    select name from panel.owners where role = 'administrator' order by id limit 1`

/** Names that an owner and an account have, from before there was one name space. */
export const listSharedNames = (db: Db) => anyFirst<string>(db)`
  select o.name from panel.owners o
  join panel.accounts a on a.username = o.name and a.state <> 'terminated'
  order by o.name`

const unknownOwner = (name: string): PanelError =>
  new PanelError('not_found', `Unknown owner: ${name}`)
