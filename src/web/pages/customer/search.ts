import { z } from 'zod'
import { sitesOf } from '../../../model/accounts/accounts.ts'
import { isPartOf, searchWord } from '../../../model/grammar/search-words.ts'
import { customers, goTo, page } from '../../page.ts'
import { ownDatabases, pathOf as pathOfDatabase } from '../databases/own.ts'
import { t } from '../../texts/texts.ts'
import { ownAccount, pathOfSite } from './own.ts'

/** /account/search: straight to what is meant where only one thing fits, else what does. */
export const ownSearch = page({
  path: '/account/search',
  roles: customers,
  query: z.object({ q: z.string().max(254).default('') }),
  async load(asked) {
    const q = searchWord(asked.query.q)
    if (z.uuid().safeParse(q).success) return goTo(`/account/jobs/${q}`)
    const [account, databases] = await Promise.all([ownAccount(asked), ownDatabases(asked)])
    const things = [
      ...sitesOf(account).map(({ domain }) => ({
        ...{ kind: t('customer.website'), name: domain, of: [], address: pathOfSite(domain) },
      })),
      ...databases.map(({ database, users }) => ({
        ...{ kind: t('customer.database'), name: database, address: pathOfDatabase(database) },
        of: users.map(({ user }) => user),
      })),
    ]
    const found = things.filter(({ name, of }) => [name, ...of].some(word => isPartOf(q, word)))
    const [only] = found.length === 1 ? found : found.filter(({ name }) => name === q)
    return only === undefined ? { found } : goTo(only.address)
  },
  template: 'pages/search',
})
