import { PanelError } from '../../../errors.ts'
import { listOperators, type ListedOperator } from '../../../model/sellers/operator-lists.ts'
import type { PageRequest } from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'

// Resellers and administrators have the same kind of pages, each in a section of their own.

export type Section = { base: string; role: ListedOperator['role']; singular: PlainKey }

export const sections = {
  resellers: { base: '/resellers', role: 'reseller', singular: 'operators.resellerInside' },
  administrators: {
    base: '/administrators',
    role: 'administrator',
    singular: 'operators.administratorInside',
  },
} as const satisfies Record<string, Section>

/** The tabs above both lists. */
export const tabs = () => [
  { label: t('operators.resellers'), address: sections.resellers.base },
  { label: t('operators.administrators'), address: sections.administrators.base },
]

export const pathOf = ({ base }: Section, name: string, more = ''): string =>
  `${base}/${encodeURIComponent(name)}${more}`

/** @throws {PanelError} `not_found`, also for an operator of the other role */
export async function findOperator(
  { pool }: Pick<PageRequest, 'pool'>,
  { role, singular }: Section,
  name: string,
): Promise<ListedOperator> {
  const found = (await listOperators(pool)).find(
    operator => operator.name === name && operator.role === role,
  )
  if (found === undefined)
    throw new PanelError(
      'not_found',
      t('operators.thereNoSingularName', { singular: t(singular), name }),
    )
  return found
}
