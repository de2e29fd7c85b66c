import { z } from 'zod'
import { t } from '../texts/texts.ts'
import { suggest, type Suggestion, type SuggestionKind } from '../../model/accounts/suggestions.ts'
import {
  customers,
  operators,
  parseQuery,
  type Navigation,
  type Page,
  type PageRequest,
  type Role,
} from '../page.ts'
import { headersOfPages } from '../render.ts'
import { capital } from '../words.ts'
import { pathOfSite } from './customer/own.ts'
import { pathOf as pathOfDatabase } from './databases/own.ts'

// Suggestions for a search while it is typed, as JSON for the script (scripts/search.js).

const Query = z.object({ q: z.string().max(254).default('') })

/** A thing or a page with its address. */
export type Found = { kind: string; name: string; of: string | null; address: string }

const inAccount = (username: string | null, ...rest: string[]): string =>
  ['/accounts', ...[username ?? '', ...rest].map(encodeURIComponent)].join('/')

// The pages of operators, and those of customers where they have one.
const addresses: Record<SuggestionKind, (found: Suggestion) => string> = {
  account: ({ name }) => inAccount(name),
  website: ({ of, name }) => inAccount(of, 'sites', name),
  database: ({ of }) => inAccount(of),
  package: ({ name }) => `/packages/${encodeURIComponent(name)}`,
  reseller: ({ name }) => `/resellers/${encodeURIComponent(name)}`,
  administrator: ({ name }) => `/administrators/${encodeURIComponent(name)}`,
  webhook: ({ of }) => `/hooks/webhooks/${of}`,
}
const ownAddresses: Partial<typeof addresses> = {
  website: ({ name }) => pathOfSite(name),
  database: ({ name }) => pathOfDatabase(name),
}

const suggestionsAt = (path: string, roles: readonly Role[]): Page => ({
  path,
  roles,
  async get(request) {
    const { q } = parseQuery(Query, request.query)
    const body = JSON.stringify(await findAll(request, path, q))
    const headers = { ...headersOfPages, 'content-type': 'application/json; charset=utf-8' }
    return { status: 200, headers, body: Buffer.from(body) }
  },
})

/** Returns what a search on the page at a path suggests. */
export async function findAll(
  { pool, caller, navigation }: Pick<PageRequest, 'pool' | 'caller' | 'navigation'>,
  path: string,
  q: string,
): Promise<Found[]> {
  const isCustomer = caller.role === 'customer'
  const found = (await suggest(pool, caller, q)).map((one): Found => {
    const { kind, name } = one
    const address = ((isCustomer && ownAddresses[kind]) || addresses[kind])(one)
    const of = isCustomer || kind === 'webhook' ? null : one.of
    return { kind: capital(kind), name, of, address }
  })
  return [...found, ...pagesWith(q, navigation(caller, path))]
}

function pagesWith(q: string, { labelled }: Navigation): Found[] {
  const word = q.trim().toLowerCase()
  if (word === '') return []
  return labelled
    .filter(({ label }) => label.toLowerCase().includes(word))
    .slice(0, 4)
    .map(({ label, path }) => ({ kind: t('panel.pageKind'), name: label, of: null, address: path }))
}

/** /search.json */
export const suggestions = suggestionsAt('/search.json', operators)
/** /account/search.json */
export const ownSuggestions = suggestionsAt('/account/search.json', customers)
