import { z } from 'zod'
import { type Db, one } from '../../db.ts'
import type { Caller } from './callers.ts'
import { getReseller } from '../sellers/operator-lists.ts'
import { byPlanLimit, usedOf } from '../sellers/plan-limits.ts'

// The description of a token, for its own caller.

const Limit = z.strictObject({
  limit: z.int(),
  used: z.int().describe('Always 0 for a limit per account'),
  left: z.int().describe('Never below 0, even after the plan was reduced'),
})

export const OwnToken = z.strictObject({
  owner: z.string().describe('The user who created it'),
  role: z.enum(['administrator', 'reseller']),
  seller: z
    .string()
    .nullable()
    .describe('The reseller whose customers it manages; null for an administrator'),
  permission: z.string(),
  expires_at: z.iso.datetime().nullable(),
  plan: z
    .strictObject(
      byPlanLimit(({ limits, ofPackage }) => {
        if (limits === 'each') return Limit.describe('For each account')
        return ofPackage ? Limit.describe('The sum over the packages of all accounts') : Limit
      }),
    )
    .nullable()
    .describe("The reseller's plan; null for an administrator and for a reseller without one"),
  release: z.string().describe('The release of the panel'),
  server: z.string().describe('The host name of the panel server, as in events'),
})

export type OwnToken = z.infer<typeof OwnToken>

/** The panel's version and host name. */
type About = { version: string; serverName: string }

/** Returns the token of the caller. */
export async function getOwnToken(
  db: Db,
  { id }: Pick<Caller, 'id'>,
  { version, serverName }: About,
): Promise<OwnToken> {
  type Row = Pick<OwnToken, 'owner' | 'role' | 'permission'> & { expires_at: Date | null }
  const token = await one<Row>(db)`
    select o.name as owner, o.role, t.permission, t.expires_at
    from panel.tokens t join panel.operators o on o.id = t.operator_id
    where t.id = ${id.replace('token:', '')}`
  const isReseller = token.role === 'reseller'
  return {
    ...token,
    seller: isReseller ? token.owner : null,
    expires_at: token.expires_at?.toISOString() ?? null,
    plan: isReseller ? await readPlan(db, token.owner) : null,
    release: version,
    server: serverName,
  }
}

async function readPlan(db: Db, name: string): Promise<OwnToken['plan']> {
  const { plan, used } = await getReseller(db, name)
  if (plan === null) return null
  return byPlanLimit(({ name }) => {
    const [limit, inUse] = [plan[name], usedOf(used, name) ?? 0]
    return { limit, used: inUse, left: Math.max(limit - inUse, 0) }
  })
}
