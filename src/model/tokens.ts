import { createHash, randomBytes } from 'node:crypto'
import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { Owner } from './owners.ts'

// API tokens: 256 random bits behind a prefix by which a leaked one is recognised. Only the
// SHA-256 is stored.

/** What a known, valid token may do. */
export type Caller = Owner & { tokenId: string }

/** Requests of one token in any 60 seconds (specification, Limits). */
export const requestsPerMinute = 1_200

export type Authentication =
  | { verdict: 'unknown' }
  | { verdict: 'address' | 'suspended' }
  | { verdict: 'ok' | 'limited'; caller: Caller; remaining: number; resetS: number }

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Makes a token for an owner; the clear one exists only in what this returns. */
export async function createToken(
  db: Db,
  { owner, name }: { owner: string; name: string },
): Promise<{ id: string; token: string }> {
  const token = `pnl_${randomBytes(32).toString('base64url')}`
  const { rows } = await db.query<{ id: string }>(
    `insert into panel.tokens (owner_id, name, hash, credential_epoch)
     select o.id, $2, $3, o.credential_epoch from panel.owners o where o.name = $1
     returning id`,
    [owner, name, hashToken(token)],
  )
  const [row] = rows
  if (row === undefined) throw new PanelError('not_found', `Unknown owner: ${owner}`)
  return { id: row.id, token }
}

/** A revoked token's calls are refused; what it has begun finishes. */
export async function revokeToken(db: Db, id: string): Promise<void> {
  const { rowCount } = await db.query(
    'update panel.tokens set revoked_at = now() where id = $1 and revoked_at is null',
    [id],
  )
  if (rowCount === 0) throw new PanelError('not_found', `Unknown token: ${id}`)
}

type AuthenticationRow = {
  verdict: Authentication['verdict']
  token_id: string
  owner_role: Owner['role']
  seller_id: string
  remaining: number
  reset_s: number
}

/** Judges and counts one call in one round trip (api.md, Limits and tokens). */
export async function authenticate(db: Db, hash: Buffer, address: string): Promise<Authentication> {
  const { rows } = await db.query<AuthenticationRow>({
    name: 'authenticate',
    text: 'select * from panel.authenticate($1, $2, $3)',
    values: [hash, address, requestsPerMinute],
  })
  const [row] = rows
  if (row === undefined || row.verdict === 'unknown') return { verdict: 'unknown' }
  if (row.verdict === 'address' || row.verdict === 'suspended') return { verdict: row.verdict }
  return {
    verdict: row.verdict,
    caller: { tokenId: row.token_id, role: row.owner_role, sellerId: row.seller_id },
    remaining: row.remaining,
    resetS: row.reset_s,
  }
}
