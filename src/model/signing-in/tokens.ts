import { hash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { all, type Db, oneOrThrow } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import type { Caller } from './callers.ts'
import { cidr } from '../grammar/cidr.ts'
import { note } from '../grammar/grammar.ts'

// API tokens: 256 random bits behind a prefix that identifies a leaked one. Only the SHA-256 is
// stored.

/** The number of requests of one token in any 60 seconds (specification, Limits). */
export const requestsPerMinute = 1_200

export type Authentication =
  | { verdict: 'unknown' }
  | {
      verdict: 'ok' | 'address' | 'suspended' | 'limited'
      caller: Caller
      permission: Permission
      /** The requests that remain of the last 60 seconds, and the seconds until there are more. */
      remaining: number
      resetS: number
    }

/**
 * The permission of a token; the table of endpoints lists which endpoints each permission reaches.
 */
export const permission = z.enum(
  ['Provisioning only', 'Provisioning and hosting', 'Sites', 'Read events'],
  'can only be “Provisioning only”, “Provisioning and hosting”, “Sites” or “Read events”',
)

export type Permission = z.infer<typeof permission>

export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** The grammars for the command line and the pages. */
export const NewToken = z.strictObject({
  name: z.string().min(1, 'is empty').max(100, 'must have at most 100 characters').pipe(note),
  permission,
  // Each call is compared with all of them.
  allowed: z.array(cidr).max(100, 'must be at most 100 ranges'),
  // A day means its beginning, UTC.
  expiresAt: z
    .union(
      [z.iso.datetime({ offset: true }), z.iso.date()],
      'must be a day (2030-12-31) or a time (2030-12-31T18:00:00Z)',
    )
    .transform(text => new Date(text))
    .refine(date => date > new Date(), 'must be in the future'),
})

/**
 * Creates a token for an operator; only the return value contains it in clear.
 *
 * @throws {PanelError} `not_found`
 */
export async function createToken(
  db: Db,
  input: {
    owner: string
    name: string
    permission?: Permission
    allowed?: string[]
    expiresAt?: Date | undefined
  },
): Promise<{ id: string; token: string }> {
  const { owner, name, permission = 'Provisioning only', allowed = [], expiresAt } = input
  const token = `pnl_${randomBytes(32).toString('base64url')}`
  const ranges = allowed.length === 0 ? null : allowed
  const unknown = () => new PanelError('not_found', `Unknown operator: ${owner}`)
  const { id } = await oneOrThrow<{ id: string }>(db, unknown)`
    insert into panel.tokens
      (operator_id, name, permission, hash, allowed, expires_at, credential_epoch)
    select o.id, ${name}, ${permission}, ${hashToken(token)}, ${ranges}::cidr[], ${expiresAt},
      o.credential_epoch
    from panel.operators o where o.name = ${owner}
    returning id`
  return { id, token }
}

/** A token as lists show it. Its last use is exact to the second, after a crash to ten minutes. */
export type Token = {
  id: string
  owner: string
  name: string
  permission: Permission
  /** Null means that calls may come from anywhere. */
  allowed: string[] | null
  /** `void`: its operator's password or second factor has changed since. */
  state: 'valid' | 'revoked' | 'expired' | 'void'
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
}

/** Lists all tokens ever created, or those of one operator, oldest first. */
export const listTokens = (db: Db, owner: string | undefined) => all<Token>(db)`
  select t.id, o.name as owner, t.name, t.permission, t.allowed::text[] as allowed,
    case
      when t.revoked_at is not null then 'revoked'
      when t.expires_at <= now() then 'expired'
      when t.credential_epoch <> o.credential_epoch then 'void'
      else 'valid'
    end as state,
    t.created_at, t.expires_at, greatest(t.last_used_at, to_timestamp(w.second)) as last_used_at
  from panel.tokens t
  join panel.operators o on o.id = t.operator_id
  left join panel.request_windows w on w.token_id = t.id
  where ${owner}::text is null or o.name = ${owner}
  order by t.id`

/**
 * Revokes a token: further calls are refused, operations that it has begun finish. May be repeated.
 *
 * @throws {PanelError} `not_found`
 */
export async function revokeToken(db: Db, id: string): Promise<Date> {
  const unknown = () => new PanelError('not_found', `Unknown token: ${id}`)
  const { revoked_at } = await oneOrThrow<{ revoked_at: Date }>(db, unknown)`
    update panel.tokens set revoked_at = coalesce(revoked_at, now()) where id = ${id}
    returning revoked_at`
  return revoked_at
}

type AuthenticationRow = {
  verdict: Authentication['verdict']
  token_id: string
  operator_role: Caller['role']
  seller_id: string
  permission: Permission
  remaining: number
  reset_s: number
}

/** The token's hash, and the address of the call if known. */
export type Call = { hash: Buffer; address?: string | undefined }

/** Authenticates and counts calls in one round trip; keeps their order. */
export async function authenticate(db: Db, calls: Call[]): Promise<Authentication[]> {
  // The counters of tokens are locked one after the other, always in the same order, to avoid
  // deadlocks.
  const ordered = [...calls].sort((one, other) => Buffer.compare(one.hash, other.hash))
  const { rows } = await db.query<AuthenticationRow>({
    name: 'authenticate',
    text: `select found.*
           from unnest($1::bytea[], $2::inet[]) with ordinality as call (hash, address, position),
             lateral panel.authenticate_call(call.hash, call.address, $3) as found
           order by call.position`,
    values: [ordered.map(call => call.hash), ordered.map(call => call.address), requestsPerMinute],
  })
  const found = new Map(ordered.map((call, index) => [call, toAuthentication(call, rows[index])]))
  return calls.map(call => found.get(call) ?? { verdict: 'unknown' })
}

function toAuthentication({ address }: Call, row: AuthenticationRow | undefined): Authentication {
  if (row === undefined || row.verdict === 'unknown') return { verdict: 'unknown' }
  const [id, sellerId] = [`token:${row.token_id}`, row.seller_id]
  return {
    verdict: row.verdict,
    caller: { id, role: row.operator_role, sellerId, accountId: null, address: address ?? null },
    permission: row.permission,
    remaining: row.remaining,
    resetS: row.reset_s,
  }
}
