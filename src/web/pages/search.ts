import { z } from 'zod'
import { AccountQuery, listForPeople } from '../../model/account-list.ts'
import { withQuery } from '../addresses.ts'
import { goTo, owners, page } from '../page.ts'

/** /search: straight to what is meant where only one thing fits, else to the list of what does. */
export const search = page({
  path: '/search',
  roles: owners,
  query: z.object({ q: z.string().max(254).default('') }),
  async load({ pool, caller, query }) {
    const q = query.q.trim()
    if (z.uuid().safeParse(q).success) return goTo(`/jobs/${q}`)
    const found = await listForPeople(pool, caller, AccountQuery.parse({ q: q || undefined }))
    const [only] = found.length === 1 ? found : found.filter(({ username }) => username === q)
    return goTo(only ? `/accounts/${only.username}` : withQuery('/accounts', { q }))
  },
  template: 'pages/failure',
})
