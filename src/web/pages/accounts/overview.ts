import { listDiskMonths, listMonths, ofAccount } from '../../../model/usage.ts'
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
    const { id } = shown.record
    const [usage, disk, traffic] = await Promise.all([
      ofAccount(asked.pool, id),
      listDiskMonths(asked.pool, id),
      listMonths(asked.pool, id),
    ])
    const databases = await shownDatabases(asked, asked.params.username)
    return { ...shown, databases, usage, disk: monthBars(disk), traffic: monthBars(traffic) }
  },
  template: 'pages/accounts/overview',
})
