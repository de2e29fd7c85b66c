import { z } from 'zod'
import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { get, JobId } from '../../model/jobs/jobs.ts'
import { AccountQuery, listForPeople } from '../../model/accounts/account-list.ts'
import { withQuery } from '../addresses.ts'
import { goTo, operators, page } from '../page.ts'
import { findAll } from './suggestions.ts'

/** /search: straight to what is meant where only one thing fits, else to the list of what does. */
export const search = page({
  path: '/search',
  roles: operators,
  query: z.object({ q: z.string().max(254).default('') }),
  async load(asked) {
    const { pool, caller, query } = asked
    const q = query.q.trim()
    if (z.uuid().safeParse(q).success) return goTo(`/jobs/${q}`)
    const found = await listForPeople(pool, caller, AccountQuery.parse({ q: q || undefined }))
    const [only] = found.length === 1 ? found : found.filter(({ username }) => username === q)
    if (only === undefined && caller.role === 'administrator') {
      const job = await findJob(pool, q)
      if (job !== undefined) return goTo(`/jobs/${encodeURIComponent(job)}`)
    }
    if (only !== undefined) return goTo(`/accounts/${only.username}`)
    const others = found.length === 0 && q !== '' ? await findAll(asked, '/search', q) : []
    if (others.length === 0) return goTo(withQuery('/accounts', { q }))
    const [other] = others.length === 1 ? others : others.filter(({ name }) => name === q)
    return other === undefined ? { found: others } : goTo(other.address)
  },
  template: 'pages/search',
})

// By the id of an operation, a delivery, a hook run or maintenance, or its beginning.
async function findJob(pool: Db, q: string): Promise<string | undefined> {
  if (!JobId.safeParse(q).success) return undefined
  try {
    return (await get(pool, q)).id
  } catch (error) {
    if (error instanceof PanelError) return undefined
    throw error
  }
}
