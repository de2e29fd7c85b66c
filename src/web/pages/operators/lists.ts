import { listOperators, listResellers } from '../../../model/sellers/operator-lists.ts'
import { administrators, page } from '../../page.ts'
import { sections, tabs } from './section.ts'

/** /resellers: each with its plan and what is used of it. */
export const resellerList = page({
  path: sections.resellers.base,
  roles: administrators,
  navigation: { label: 'operators.resellers', icon: 'store' },
  load: async ({ pool }) => ({ tabs: tabs(), resellers: await listResellers(pool) }),
  template: 'pages/operators/resellers',
})

/** /administrators */
export const administratorList = page({
  path: sections.administrators.base,
  roles: administrators,
  navigation: { label: 'operators.administrators', within: sections.resellers.base },
  load: async ({ pool }) => ({
    tabs: tabs(),
    administrators: (await listOperators(pool)).filter(({ role }) => role === 'administrator'),
  }),
  template: 'pages/operators/administrators',
})
