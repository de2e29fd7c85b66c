import { listDiskMonths, listMonths, ofAccount } from '../../../model/accounts/usage.ts'
import { monthBars } from '../../month-bars.ts'
import { customers, page } from '../../page.ts'
import { ownSites } from './own.ts'

/** /account/usage: now, and in the last twelve months. */
export const ownUsage = page({
  path: '/account/usage',
  roles: customers,
  navigation: { label: 'customer.usage', icon: 'gauge' },
  async load(asked) {
    const { record, sites } = await ownSites(asked)
    const [usage, disk, traffic] = await Promise.all([
      ofAccount(asked.pool, record.id),
      listDiskMonths(asked.pool, record.id),
      listMonths(asked.pool, record.id),
    ])
    return { record, sites, usage, disk: monthBars(disk), traffic: monthBars(traffic) }
  },
  template: 'pages/customer/usage',
})
