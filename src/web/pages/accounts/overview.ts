import { getOverview } from '../../../model/accounts/account-overview.ts'
import { operators, page } from '../../page.ts'
import { monthBars } from '../../month-bars.ts'
import { rulesWords, siteWords } from '../../site-words.ts'
import { pathOf, shownAs, whoSuspended } from './shown.ts'

/** /accounts/USERNAME: its websites and what it uses. */
export const accountOverview = page({
  path: '/accounts/:username',
  roles: operators,
  async load(asked) {
    const { pool, caller, params } = asked
    const found = await getOverview(pool, caller, params.username)
    const path = pathOf(params.username)
    return {
      path,
      databasesWarning: found.databasesWarning,
      ...shownAs(found.record, asked),
      suspended: found.record.state === 'suspended' ? whoSuspended(found.record) : undefined,
      usage: found.usage,
      databases: found.databases,
      // The customer's own pages name the records to set.
      sites: found.sites.map(site => ({
        ...{ ...site, words: siteWords(site, []), rulesWords: rulesWords(site) },
      })),
      mayAdd: found.record.state === 'active' || found.record.state === 'suspended',
      disk: monthBars(found.disk),
      traffic: monthBars(found.traffic),
    }
  },
  template: 'pages/accounts/overview',
})
