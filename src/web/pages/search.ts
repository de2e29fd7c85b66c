import { z } from 'zod'
import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { get, JobId } from '../../model/jobs/jobs.ts'
import { AccountQuery, listForPeople } from '../../model/accounts/account-list.ts'
import { withQuery } from '../addresses.ts'
import { goTo, operators, page } from '../page.ts'

/** /search: straight to what is meant where only one thing fits, else to the list of what does. */
export const search = page({
  path: '/search',
  roles: operators,
  query: z.object({ q: z.string().max(254).default('') }),
  async load({ pool, caller, query }) {
    const q = query.q.trim()
    if (z.uuid().safeParse(q).success) return goTo(`/jobs/${q}`)
    const found = await listForPeople(pool, caller, AccountQuery.parse({ q: q || undefined }))
    const [only] = found.length === 1 ? found : found.filter(({ username }) => username === q)
    if (only === undefined && caller.role === 'administrator') {
      const job = await findJob(pool, q)
      if (job !== undefined) return goTo(`/jobs/${encodeURIComponent(job)}`)
    }
    return goTo(only ? `/accounts/${only.username}` : withQuery('/accounts', { q }))
  },
  template: 'pages/failure',
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
