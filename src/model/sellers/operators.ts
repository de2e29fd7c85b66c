import { z } from 'zod'
import { type Db, maybeOne, oneOrThrow, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { email, password, username } from '../grammar/grammar.ts'
import { hashPassword } from '../signing-in/password-hash.ts'

// Operators: resellers, and administrators, who all act for the server's own seller.

export const NewOperator = z.strictObject({
  name: z.union(
    [username, z.literal('admin')],
    'must be 2 to 32 of a-z, 0-9, _ and -, from a letter to a letter or digit, not reserved',
  ),
  role: z.enum(['administrator', 'reseller'], 'must be administrator or reseller'),
  email,
  password,
})

/**
 * Adds an operator. A reseller becomes a new seller, without a plan.
 *
 * @throws {PanelError} `invalid` if an operator or an account has the name
 */
export async function addOperator(db: Db, input: z.input<typeof NewOperator>): Promise<void> {
  const operator = NewOperator.parse(input)
  const passwordHash = await hashPassword(operator.password)
  const isAdded = await oneFirst<boolean>(db)`
    select panel.add_operator(
      ${operator.name}, ${operator.role}, ${operator.email}, ${passwordHash})`
  if (isAdded) return
  const isOperators = (await findOperator(db, operator.name)) !== undefined
  const whose = isOperators ? 'An operator' : 'An account'
  throw new PanelError('invalid', `${whose} ${operator.name} already exists`, { field: 'name' })
}

/**
 * Changes an operator's password. This raises the credential epoch, which voids all earlier tokens
 * and other sessions of the operator; returns how many valid tokens there were.
 *
 * @throws {PanelError} `not_found`
 */
export async function changePassword(
  db: Db,
  name: string,
  to: string,
  /** The operator's current session, which stays. */
  sessionId: string | null = null,
): Promise<number> {
  const passwordHash = await hashPassword(password.parse(to))
  const voided = await oneFirst<number | null>(db)`
    select panel.change_password(${name}, ${passwordHash}, ${sessionId})`
  if (voided === null) throw unknownOperator(name)
  return voided
}

/** An operator's id, role and the seller that they act for. */
export type Operator = { id: string; role: 'administrator' | 'reseller'; sellerId: string }

/** @throws {PanelError} `not_found` */
export const getOperator = (db: Db, name: string) => oneOrThrow<Operator>(db, () =>
  unknownOperator(name),
)`
  select id, role, seller_id as "sellerId" from panel.operators where name = ${name}`

export const findOperator = (db: Db, name: string) =>
  maybeOne<{ id: string }>(db)`select id from panel.operators where name = ${name}`

/** Returns the administrator who was added first; undefined if there is none. */
export const findFirstAdministrator = (db: Db) =>
  maybeOne<{ name: string }>(db)`
    select name from panel.operators where role = 'administrator' order by id limit 1`

const unknownOperator = (name: string): PanelError =>
  new PanelError('not_found', `Unknown operator: ${name}`)
