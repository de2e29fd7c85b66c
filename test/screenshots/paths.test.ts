import t from 'tap'
import { pages } from '../../src/web/pages.ts'
import { customerPaths, resellerPaths, paths, pagePaths, undrawn } from './paths.ts'

const looked = {
  administrator: { ...paths, ...pagePaths.administrator },
  reseller: { ...resellerPaths, ...pagePaths.reseller },
  customer: { ...customerPaths, ...pagePaths.customer },
}

t.test('every page is looked at as each role that it is for, by a name of its own', async t => {
  const names = Object.values(looked).flatMap(Object.keys)
  t.equal(new Set(names).size, names.length)
  for (const { path, roles } of pages.filter(page => !undrawn.test(page.path))) {
    for (const role of roles) {
      const addresses = Object.values(looked[role]).map(address => address.replace(/\?.*/, ''))
      const names = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
      t.ok(
        addresses.some(address => names.test(address)),
        `${path} of a ${role}`,
      )
    }
  }
})
