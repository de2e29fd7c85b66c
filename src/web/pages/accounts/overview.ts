import { listMonths, ofAccount } from '../../../model/usage.ts'
import { owners, page } from '../../page.ts'
import { monthBars } from '../../month-bars.ts'
import { shownDatabases } from '../databases/shown.ts'
import { showAccount } from './shown.ts'

/** /accounts/USERNAME: its websites and what it uses. */
export const accountOverview = page({
  path: '/accounts/:username',
  roles: owners,
  async load(asked) {
    const shown = await showAccount(asked, asked.params.username)
    const [usage, months] = await Promise.all([
      ofAccount(asked.pool, shown.record.id),
      listMonths(asked.pool, shown.record.id),
    ])
    const databases = await shownDatabases(asked, asked.params.username)
    return { ...shown, databases, usage, traffic: monthBars(months) }
  },
  template: 'pages/accounts/overview',
})
