import type { Test } from 'tap'
import type { Faulty } from './faulty.ts'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import {
  accountOf,
  accountsFor,
  newOrder,
  sellPackages,
  withoutReference,
  type Bench,
} from './scenarios.ts'

// Orders that the panel knows by the billing system's own number.

export type Knowing = Bench & {
  faulty: Faulty
  /** Connects with a token: by way of the faulty proxy, or to another panel. */
  connect: (token: string, port?: string | number) => Promise<unknown>
  sellersToken: string
  otherToken: string
  /** Changes an order that has no account yet, where `create` doesn't. */
  change?: (service: string, package_: string, email: string) => Promise<unknown>
}

const html = { status: 200, body: '<p>It works!</p>' }

export async function knowsItsOrders(t: Test, bench: Knowing): Promise<void> {
  const { panel, php, faulty, connect, sellersToken, otherToken } = bench

  await t.test('a lost create is not over for the token of another seller', async t => {
    const refused = async (fields: object = {}) => {
      const order = { ...newOrder(), ...fields }
      t.match((await php.run('create', { ...order, package: 'none' })).value, { ok: false })
      return order
    }
    const lost = async () => {
      await connect(sellersToken)
      // Has the module learn the token's operator, as any create does.
      await refused()
      const order = newOrder()
      faulty.always({ afterwards: html })
      t.match((await php.run('create', order)).value, { ok: false })
      faulty.always('pass')
      const [username = ''] = await accountsFor(panel, order)
      t.match(await accountOf(panel, username), { state: 'active' })
      return { ...order, username }
    }
    const message = /create of this order was sent to \S+ with another token of reseller, .* lost/
    const { service, username } = await lost()
    await connect(otherToken)
    for (const _turn of [1, 2]) {
      t.match((await php.run('terminate', { service })).value, { ok: false, message })
    }
    t.match(await accountOf(panel, username), { state: 'active' })
    await connect(sellersToken)
    t.match((await php.run('terminate', { service })).value, { ok: true })
    t.equal(await accountOf(panel, username), undefined)

    // Nor after a create with that token, which the panel has refused.
    const again = await lost()
    await connect(otherToken)
    const { username: _, ...order } = again
    const tried = await php.run('create', { ...order, package: 'none' })
    t.match(tried.value, { ok: false })
    const ended = await php.run('terminate', { service: again.service })
    t.match(ended.value, { ok: false, message })
    await connect(sellersToken)
    t.match((await php.run('terminate', { service: again.service })).value, { ok: true })
    t.equal(await accountOf(panel, again.username), undefined)

    // A refusal alone has left nothing.
    const never = await refused()
    await connect(otherToken)
    t.match((await php.run('terminate', { service: never.service })).value, { ok: true })
  })

  await t.test('an order that was changed after a lost answer has one account', async t => {
    await connect(sellersToken)
    const order = newOrder()
    const { service } = order
    // Done, but the answer is lost, and so is that of each look-up.
    faulty.always({ afterwards: html })
    t.match((await php.run('create', order)).value, { ok: false })
    faulty.always('pass')
    const [username] = await accountsFor(panel, order)
    const changed = { package: 'bigger', email: `changed${service}@example.com` }
    await bench.change?.(service, changed.package, changed.email)
    t.match((await php.run('create', { ...order, ...changed })).value, { ok: true, username })
    const account = await accountOf(panel, username!)
    t.match(account, { ...changed, domain: order.domain, state: 'active' })
    t.match(account.reference, /^[a-z]+-[0-9a-f]{12}:\S*\d+/)
    t.strictSame(await accountsFor(panel, { ...order, ...changed }), [username])
  })

  await t.test('an account that the token does not see is not reported as gone', async t => {
    const made = async () => {
      await connect(sellersToken)
      const order = newOrder()
      const { username } = (await php.run('create', order)).value
      t.match(await accountOf(panel, username), { state: 'active' })
      return { service: order.service, username: username as string }
    }
    const lies = /nothing proves that it is gone|made on another server/
    const { service, username } = await made()
    await connect(otherToken)
    t.match((await php.run('terminate', { service })).value, { ok: false, message: lies })
    t.match(await accountOf(panel, username), { state: 'active' })
    await connect(sellersToken)

    // The panel says so of one that it remembers.
    const gone = await made()
    await panel.call('DELETE', `/api/v1/accounts/${gone.username}`)
    t.match((await php.run('terminate', gone)).value, { ok: true })

    // The seller of an account without a reference is known since the last action.
    for (const isSeen of [true, false]) {
      const old = await made()
      await withoutReference(panel, old.username)
      if (isSeen) t.match((await php.run('suspend', { ...old, reason: null })).value, { ok: true })
      await panel.call('DELETE', `/api/v1/accounts/${old.username}`)
      await connect(otherToken)
      t.match((await php.run('terminate', old)).value, { ok: false, message: lies })
      await connect(sellersToken)
      t.match((await php.run('terminate', old)).value, { ok: true })
    }
  })

  await t.test('an earlier account of the order proves nothing of the one it has', async t => {
    const elsewhere = await openPanel(t)
    // The seller of the same name.
    const namesake = await makeReseller(elsewhere.pool, 'reseller')
    await sellPackages(elsewhere, namesake.token)
    const { port } = new URL(elsewhere.baseUrl)
    const cases = [
      { at: panel, token: otherToken, message: /of othershop does not see .* nothing proves/ },
      { at: elsewhere, token: namesake.token, port, message: /another server: \S*:\d+.* Check/ },
    ]
    for (const { at, token, port, message } of cases) {
      await connect(sellersToken)
      const order = newOrder()
      const { service } = order
      const { username } = (await php.run('create', order)).value
      t.match((await php.run('terminate', { service })).value, { ok: true })
      await connect(token, port)
      t.match((await php.run('create', { ...order, username })).value, { ok: true, username })
      t.match(await accountOf(at, username), { state: 'active' })

      await connect(sellersToken)
      t.match((await php.run('terminate', { service })).value, { ok: false, message })
      t.match(await accountOf(at, username), { state: 'active' })
      await connect(token, port)
      t.match((await php.run('terminate', { service })).value, { ok: true })
      t.equal(await accountOf(at, username), undefined)
    }
  })

  await t.test('a termination whose answer is lost is found done', async t => {
    await connect(sellersToken)
    const order = newOrder()
    const { username } = (await php.run('create', order)).value
    faulty.next({ afterwards: html })
    const { service } = order
    t.match((await php.run('terminate', { service })).value, { ok: false })
    faulty.next()
    t.equal(await accountOf(panel, username), undefined)
    t.match((await php.run('terminate', { service })).value, { ok: true })
  })
}
