import {
  accountsPerPage,
  AccountQuery,
  listForPeople,
} from '../../../model/accounts/account-list.ts'
import { listResellers } from '../../../model/sellers/operator-lists.ts'
import * as packages from '../../../model/sellers/packages.ts'
import { withQuery } from '../../addresses.ts'
import { goTo, operators, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { optionsForNew } from './package-options.ts'

// For phones, which have no heads of columns.
const sortsOf = () => [
  { value: 'username', label: t('accounts.name') },
  { value: '-created', label: t('accounts.newestFirst') },
  { value: 'package', label: t('accounts.packageLabel') },
  { value: '-disk', label: t('accounts.largestFirst') },
]

/** /accounts: all that the caller sees, searched, filtered, sorted, and a page at a time. */
export const accountList = page({
  path: '/accounts',
  roles: operators,
  navigation: { label: 'accounts.accounts', icon: 'users' },
  query: AccountQuery,
  async load({ pool, caller, query, wiring }) {
    const [accounts, catalogue, resellers, { why, link }] = await Promise.all([
      listForPeople(pool, caller, query),
      packages.list(pool, caller),
      caller.role === 'administrator' ? listResellers(pool) : [],
      optionsForNew({ pool, caller, wiring }),
    ])
    // The last ones of a page may be gone by now.
    if (accounts.length === 0 && query.page > 1) {
      return goTo(withQuery('/accounts', { ...query, page: 1 }))
    }
    const total = accounts[0]?.total ?? 0
    const sorts = sortsOf()
    return {
      accounts,
      whyNone: why,
      // An empty list says itself that a package is missing.
      notice: link === undefined ? why : undefined,
      total,
      pages: Math.ceil(total / accountsPerPage),
      packages: catalogue.map(({ name }) => name),
      sellers: resellers.map(({ name }) => name),
      sorts: sorts.some(({ value }) => value === query.sort)
        ? sorts
        : [...sorts, { value: query.sort, label: t('accounts.table') }],
      isFiltered: Boolean(query.q ?? query.state ?? query.package ?? query.seller),
    }
  },
  template: 'pages/accounts/list',
})
