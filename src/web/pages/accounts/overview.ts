import { ofAccount as databasesOf } from '../../../model/databases.ts'
import { listDiskMonths, listMonths, ofAccount as usageOf } from '../../../model/usage.ts'
import { owners, page } from '../../page.ts'
import { monthBars } from '../../month-bars.ts'
import { showAccount } from './shown.ts'

/** /accounts/USERNAME: its websites and what it uses. */
export const accountOverview = page({
  path: '/accounts/:username',
  roles: owners,
  async load(asked) {
    const shown = await showAccount(asked, asked.params.username)
    const { id } = shown.record
    const [usage, disk, months, databases] = await Promise.all([
      usageOf(asked.pool, id),
      listDiskMonths(asked.pool, id),
      listMonths(asked.pool, id),
      databasesOf(asked.pool, id),
    ])
    return { ...shown, databases, usage, disk: monthBars(disk), traffic: monthBars(months) }
  },
  template: 'pages/accounts/overview',
})
