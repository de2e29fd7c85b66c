import { listMonths, ofAccount } from '../../../model/accounts/usage.ts'
import { monthBars } from '../../month-bars.ts'
import { customers, page } from '../../page.ts'
import { ownSites } from './own.ts'

/** /account: what a customer has, and how it is doing. */
export const ownOverview = page({
  path: '/account',
  roles: customers,
  navigation: { label: 'Overview', icon: 'house' },
  async load(asked) {
    const own = await ownSites(asked)
    const [usage, months] = await Promise.all([
      ofAccount(asked.pool, own.record.id),
      listMonths(asked.pool, own.record.id),
    ])
    const isWell = own.sites.every(({ words: { tone } }) => tone !== 'warn' && tone !== 'bad')
    return { ...own, usage, traffic: monthBars(months), isWell }
  },
  template: 'pages/customer/overview',
})
