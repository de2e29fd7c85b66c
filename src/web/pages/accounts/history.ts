import { z } from 'zod'
import { HistoryFilter, listHistory } from '../../../model/history/history.ts'
import { foldHistory } from '../../folded-history.ts'
import { operators, page } from '../../page.ts'
import { showAccount } from './shown.ts'

const perPage = 50

/** /accounts/USERNAME/history: who did what with it, by which channel. */
export const accountHistory = page({
  path: '/accounts/:username/history',
  roles: operators,
  query: z.object({ before: HistoryFilter.shape.before }),
  async load(asked) {
    const { pool, caller, params, query } = asked
    const shown = await showAccount(asked, params.username)
    const filter = { account: params.username, before: query.before, limit: perPage + 1 }
    const found = await listHistory(pool, caller, filter)
    const shownOnes = found.slice(0, perPage)
    const entries = await foldHistory({ pool, caller }, shownOnes)
    return { ...shown, entries, next: found.length > perPage ? shownOnes.at(-1)!.cursor : null }
  },
  template: 'pages/accounts/history',
})
