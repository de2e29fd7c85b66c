import { listHistory } from '../../../model/history/history.ts'
import { fill, withQuery } from '../../addresses.ts'
import { foldHistory } from '../../folded-history.ts'
import { operators, page } from '../../page.ts'
import { dayChips, filterOf, HistoryQuery, shownSubjects } from '../history.ts'
import { showAccount } from './shown.ts'

const perPage = 50
const path = '/accounts/:username/history'

/** /accounts/USERNAME/history: who did what with it, by which channel. */
export const accountHistory = page({
  path,
  roles: operators,
  query: HistoryQuery.omit({ account: true }),
  async load(asked) {
    const { pool, caller, params, query } = asked
    const { username: account } = params
    const shown = await showAccount(asked, account)
    const { before, ...filter } = query
    const by = { ...filterOf(query), account, limit: perPage + 1 }
    const found = await listHistory(pool, caller, by)
    const shownOnes = found.slice(0, perPage)
    const entries = await foldHistory({ pool, caller }, shownOnes)
    const address = fill(path, params)
    return {
      ...{ ...shown, entries, address },
      isFiltered: Object.keys(filter).length > 0,
      // The list of one account is that of all, narrowed down.
      csv: withQuery('/history.csv', { ...filter, account }),
      subjects: shownSubjects.customers,
      days: dayChips(address, query),
      next:
        found.length > perPage
          ? withQuery(address, { ...filter, before: shownOnes.at(-1)!.cursor })
          : null,
    }
  },
  template: 'pages/accounts/history',
})
