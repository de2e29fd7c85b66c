import { all, type Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { planUse, type PlanUse } from './resellers.ts'

// Operators, as administrators see them.

export type ListedOperator = {
  name: string
  role: 'administrator' | 'reseller'
  email: string
  has_second_factor: boolean
  /** The number of valid API tokens. */
  tokens: number
  created_at: Date
}

export const listOperators = (db: Db) => all<ListedOperator>(db)`
  select o.name, o.role, o.email, f.confirmed_at is not null as has_second_factor, (
      select count(*)::int from panel.tokens t
      where t.operator_id = o.id and t.revoked_at is null
        and t.credential_epoch = o.credential_epoch
        and coalesce(t.expires_at > now(), true)) as tokens, o.created_at
  from panel.operators o left join panel.second_factors f on f.operator_id = o.id
  order by o.role, o.name`

/** A reseller with its plan and how much of the plan is used. */
export type ListedReseller = PlanUse & {
  name: string
  email: string
  suspended_at: Date | null
  created_at: Date
}

export const listResellers = (db: Db) => all<ListedReseller>(db)`
  select o.name, o.email, s.suspended_at, ${planUse}, o.created_at
  from panel.operators o
  join panel.sellers s on s.id = o.seller_id
  where o.role = 'reseller'
  order by o.name`

/** @throws {PanelError} `not_found` */
export async function getReseller(db: Db, name: string): Promise<ListedReseller> {
  const found = (await listResellers(db)).find(reseller => reseller.name === name)
  if (found === undefined) throw new PanelError('not_found', `Unknown reseller: ${name}`)
  return found
}
