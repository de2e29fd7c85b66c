import * as packages from '../../../model/packages.ts'
import { owners, page } from '../../page.ts'

/** /packages: the catalogue of the house, or of the reseller. */
export const packageList = page({
  path: '/packages',
  roles: owners,
  load: async ({ pool, caller }) => ({ packages: await packages.listWithUse(pool, caller) }),
  template: 'pages/packages/list',
})
