import { getOverview } from '../../../model/account-overview.ts'
import { owners, page } from '../../page.ts'
import { monthBars } from '../../month-bars.ts'
import { shownAs } from './shown.ts'

/** /accounts/USERNAME: its websites and what it uses. */
export const accountOverview = page({
  path: '/accounts/:username',
  roles: owners,
  async load({ pool, caller, params }) {
    const { record, disk, traffic, ...rest } = await getOverview(pool, caller, params.username)
    return { ...shownAs(record), ...rest, disk: monthBars(disk), traffic: monthBars(traffic) }
  },
  template: 'pages/accounts/overview',
})
