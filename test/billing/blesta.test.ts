import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import type { Bench } from './blesta/bench.ts'
import { isComplete, takesNothing } from './blesta/contract.ts'
import { edits } from './blesta/edits.ts'
import { owners } from './blesta/owners.ts'
import { orders } from './blesta/orders.ts'
import { pages } from './blesta/pages.ts'
import { servers } from './blesta/servers.ts'
import { cases, operations, withstands } from './faults.ts'
import { openFaulty } from './faulty.ts'
import { knowsItsOrders } from './references.ts'
import { startPhp, withoutPhp } from './php.ts'
import {
  leavesNamesToOthers,
  livesItsLife,
  newOrder,
  sellPackages,
  takesDomainsAsTyped,
} from './scenarios.ts'
import { install } from './unpack.ts'

// The module for Blesta, as Blesta calls it, against the real service.

t.test('Blesta', { skip: withoutPhp }, async t => {
  const panel = await openPanel(t)
  await sellPackages(panel)
  const reseller = await makeReseller(panel.pool, 'reseller')
  await sellPackages(panel, reseller.token)
  const stranger = await makeReseller(panel.pool, 'stranger')
  await sellPackages(panel, stranger.token)
  const root = await install(t, 'blesta')
  const operationsOf = { operations: 'blesta/operations.php', root }
  const php = startPhp(t, operationsOf)
  const { port } = new URL(panel.baseUrl)
  const server = { host: '127.0.0.1', isSecure: false, port, token: panel.token }
  const faulty = await openFaulty(t, panel.baseUrl)
  const bench: Bench = { panel, php, faulty, root, server, resellersToken: reseller.token }

  await t.test('an order lives its life', async t => {
    await php.run('connect', server)
    await livesItsLife(t, bench, newOrder(), null)
  })

  await t.test("a reseller's orders live theirs", async t => {
    const php = startPhp(t, operationsOf)
    await php.run('connect', { ...server, token: reseller.token })
    await livesItsLife(t, { panel, php }, newOrder(), null)
    await leavesNamesToOthers(t, { panel, php }, stranger.token)
  })

  await t.test('a domain is taken as it was typed, without intl', async t => {
    await php.run('connect', server)
    await takesDomainsAsTyped(t, { panel, php })
  })

  // All that can go wrong, with every operation, is in test/long.
  await t.test('a lost answer makes no second account', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const create = operations.find(({ name }) => name === 'create')!
    const lost = cases.find(({ name }) => name === 'the answer is lost')!
    await withstands(t, bench, create, lost)
  })

  await t.test('servers and packages', t => servers(t, bench))
  await t.test('orders', t => orders(t, bench))
  await t.test('the panel knows orders by their numbers', t =>
    knowsItsOrders(t, {
      panel,
      php,
      faulty,
      connect: (token, port: string | number = faulty.port) =>
        php.run('connect', { ...server, port, token }),
      sellersToken: reseller.token,
      strangersToken: stranger.token,
      change: async (service, package_, email) => {
        await php.run('setService', { service, columns: { package: package_ } })
        await php.run('changeEmail', { service, email })
      },
    }),
  )

  await t.test('whose account it is', t => owners(t, bench))
  await t.test('changes', t => edits(t, bench))
  await t.test('pages', t => pages(t, bench))
  await t.test('every method takes nothing, and nothing set up', t => takesNothing(t, bench))
  await t.test('all that is named is there', t => isComplete(t, bench))
})
