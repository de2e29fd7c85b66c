import { type Limit, listedLimits } from '../../../model/sellers/package-limits.ts'
import * as packages from '../../../model/sellers/packages.ts'
import { operators, page } from '../../page.ts'
import { number, size } from '../../words.ts'
import { t } from '../../texts/texts.ts'

/** /packages: the server's own catalogue, or the reseller's. */
export const packageList = page({
  path: '/packages',
  roles: operators,
  navigation: { label: 'packages.packages', icon: 'package' },
  load: async ({ pool, caller }) => ({
    columns: listedLimits.map(({ column }) => column.page),
    packages: (await packages.listWithUse(pool, caller)).map(one => ({
      ...one,
      limits: listedLimits.map(limit => ({
        label: limit.column.page,
        value: format(limit, one[limit.name]),
      })),
    })),
  }),
  template: 'pages/packages/list',
})

function format(
  { unit }: Pick<Limit, 'unit'>,
  value: number | boolean | string | string[],
): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.join(', ')
  if (unit === '%') return t('packages.core', { value: value / 100 })
  return unit === 'MB' ? size(value) : number(value)
}
