import t from 'tap'
import { pages } from '../../src/web/pages.ts'
import { placesOfCustomer, placesOfReseller, places, slotsInUse, undrawn } from './places.ts'

const looked = {
  administrator: { ...places, ...slotsInUse.administrator },
  reseller: { ...placesOfReseller, ...slotsInUse.reseller },
  customer: { ...placesOfCustomer, ...slotsInUse.customer },
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
