import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import { type Db, maybe, oneOr, run, value } from '../db.ts'
import { PanelError } from '../errors.ts'
import { email, password, username } from './grammar.ts'

// The people who sign in: resellers, and administrators, who all act for one seller, the house.

export const NewOwner = z.strictObject({
  name: z.union(
    [username, z.literal('admin')],
    'must be admin, or 2 to 32 of a-z, 0-9, _ and -, from a letter to a letter or digit, ' +
      'not reserved',
  ),
  role: z.enum(['administrator', 'reseller'], 'must be administrator or reseller'),
  email,
  password,
})

/**
 * Adds an owner. A reseller becomes a seller of its own, still without a plan.
 *
 * @throws {PanelError} `invalid` where the name is taken
 */
export async function addOwner(db: Db, input: z.input<typeof NewOwner>): Promise<void> {
  const owner = NewOwner.parse(input)
  const passwordHash = await hashPassword(owner.password)
  try {
    await run(db)`
      with own as (
        insert into panel.sellers (is_house) select false where ${owner.role} = 'reseller'
        returning id
      )
      insert into panel.owners (name, role, email, password_hash, seller_id)
      values (${owner.name}, ${owner.role}, ${owner.email}, ${passwordHash},
        coalesce((select id from own), (select id from panel.sellers where is_house)))`
  } catch (error) {
    const { constraint } = error as { constraint?: unknown }
    if (constraint !== 'owners_name_key') throw error
    throw new PanelError('invalid', `There is an owner ${owner.name} already`, { cause: error })
  }
}

/**
 * Changes an owner's password. That raises the credential epoch, which voids all earlier tokens and
 * sessions of the owner; returns how many valid tokens there were.
 *
 * @throws {PanelError} `not_found`
 */
export async function changePassword(db: Db, name: string, to: string): Promise<number> {
  const passwordHash = await hashPassword(password.parse(to))
  const voided = await value<number | null>(db)`
    select panel.change_password(${name}, ${passwordHash})`
  if (voided === null) throw unknownOwner(name)
  return voided
}

/** An owner's number, its part and the seller that it acts for. */
export type Owner = { id: string; role: 'administrator' | 'reseller'; sellerId: string }

/** @throws {PanelError} `not_found` */
export const getOwner = (db: Db, name: string) => oneOr<Owner>(db, () => unknownOwner(name))`
  select id, role, seller_id as "sellerId" from panel.owners where name = ${name}`

export const findOwner = (db: Db, name: string) =>
  maybe<{ id: string }>(db)`select id from panel.owners where name = ${name}`

const unknownOwner = (name: string): PanelError =>
  new PanelError('not_found', `Unknown owner: ${name}`)

const deriveKey = promisify(argon2)

// OWASP's recommendation for Argon2id of 2024: 19 MiB, two passes, one lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/** Argon2id (RFC 9106) in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const key = await deriveKey('argon2id', { message: password, nonce, ...cost })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=1$${base64(nonce)}$${base64(key)}`
}

/** Compares in constant time. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, , , parameters = '', nonce = '', key = ''] = hash.split('$')
  const [, memory, passes] = /^m=([0-9]+),t=([0-9]+),p=1$/.exec(parameters) ?? []
  const expected = Buffer.from(key, 'base64')
  const found = await deriveKey('argon2id', {
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: 1,
    tagLength: expected.length,
  })
  return timingSafeEqual(expected, found)
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
