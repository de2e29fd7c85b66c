import { PanelError } from '../../../errors.ts'
import { listOperators, type ListedOperator } from '../../../model/sellers/operator-lists.ts'
import type { PageRequest } from '../../page.ts'

// Resellers and administrators have pages of the same make, each below a place of its own.

export type Place = { base: string; role: ListedOperator['role']; singular: string }

export const places = {
  resellers: { base: '/resellers', role: 'reseller', singular: 'reseller' },
  administrators: { base: '/administrators', role: 'administrator', singular: 'administrator' },
} as const satisfies Record<string, Place>

/** The tabs above both lists. */
export const tabs = [
  { label: 'Resellers', address: places.resellers.base },
  { label: 'Administrators', address: places.administrators.base },
]

export const pathOf = ({ base }: Place, name: string, more = ''): string =>
  `${base}/${encodeURIComponent(name)}${more}`

/** @throws {PanelError} `not_found`, also for an owner of the other role */
export async function findOperator(
  { pool }: Pick<PageRequest, 'pool'>,
  { role, singular }: Place,
  name: string,
): Promise<ListedOperator> {
  const found = (await listOperators(pool)).find(
    operator => operator.name === name && operator.role === role,
  )
  if (found === undefined) throw new PanelError('not_found', `There is no ${singular} ${name}`)
  return found
}
