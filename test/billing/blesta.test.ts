import t from 'tap'
import { isComplete, takesNothing } from './blesta/contract.ts'
import { edits } from './blesta/edits.ts'
import { operators } from './blesta/owners.ts'
import { orders } from './blesta/orders.ts'
import { pages } from './blesta/pages.ts'
import { servers } from './blesta/servers.ts'
import { operations } from './faults.ts'
import { openModule, worksAsAllDo } from './module.ts'
import { knowsItsOrders } from './references.ts'
import { withoutPhp } from './php.ts'

// The module for Blesta, as Blesta calls it, against the real service.

t.test('Blesta', { skip: withoutPhp }, async t => {
  const module = await openModule(t, 'blesta')
  const { php } = module
  // All that can go wrong, with every operation, is in test/long.
  await worksAsAllDo(t, module, {
    reason: null,
    operations: operations.filter(({ name }) => name === 'create'),
  })

  await t.test('servers and packages', t => servers(t, module))
  await t.test('orders', t => orders(t, module))
  await t.test('the panel knows orders by their numbers', t =>
    knowsItsOrders(t, {
      ...module,
      change: async (service, package_, email) => {
        await php.run('setService', { service, columns: { package: package_ } })
        await php.run('changeEmail', { service, email })
      },
    }),
  )

  await t.test('finds the account’s owner', t => operators(t, module))
  await t.test('changes', t => edits(t, module))
  await t.test('pages', t => pages(t, module))
  await t.test('every method takes nothing, and nothing set up', t => takesNothing(t, module))
  await t.test('all that is named is there', t => isComplete(t, module))
})
