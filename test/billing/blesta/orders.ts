import type { Test } from 'tap'
import { accountOf, accountsFor, isClean, newOrder } from '../scenarios.ts'
import { made, type Bench } from './bench.ts'

// Orders in the cases that only Blesta has.

export async function orders(t: Test, bench: Bench): Promise<void> {
  const { panel, php, faulty, server } = bench

  await t.test('an order is stored before it is paid, and made under that name', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const order = newOrder()
    const from = faulty.heard.length
    const stored = await php.run('order', order)
    isClean(t, stored, [order.password])
    t.match(stored.value, { ok: true })
    t.equal(faulty.heard.length, from, 'the panel hears nothing of it')
    const { value: service } = await php.run('service', order)
    t.match(service.fields, [
      { key: 'panel_domain', value: order.domain, encrypted: 0 },
      { key: 'panel_username', value: /^shop\d*[0-9a-f]{6}$/, encrypted: 0 },
      { key: 'panel_password', value: order.password, encrypted: 1 },
    ])
    t.equal((await php.run('activate', order)).value.username, service.fields[1].value)
    t.equal((await php.run('activate', order)).value.username, service.fields[1].value)
    t.strictSame(await accountsFor(panel, order), [service.fields[1].value])
  })

  await t.test('an order without a domain is distinct from the next one', async t => {
    await php.run('connect', server)
    const order = { ...newOrder(), domain: '' }
    const vars = { email: order.email, use_module: 'true', panel_password: order.password }
    const add = async () => {
      const { value } = await php.run('addService', { package: 'starter', vars })
      t.match(value, { ok: true }, 'add', value)
      return value.meta
    }
    // The first answer was lost on its way to Blesta, which stores nothing of it.
    const lost = await add()
    const first = await add()
    t.strictSame(first, lost)
    const { service } = order
    await php.run('order', order)
    await php.run('setService', { service, columns: { status: 'active' } })
    await php.run('setFields', { service, meta: first })
    const second = await add()
    t.not(second[1].value, first[1].value)
    t.equal((await accountsFor(panel, order)).length, 2)

    // The same holds for two orders that wait for payment.
    const waiting = [newOrder(), newOrder()].map(({ service }) => ({ ...order, service }))
    const names: string[] = []
    for (const each of waiting) {
      await php.run('order', each)
      const { value } = await php.run('service', each)
      names.push(value.fields[1].value)
    }
    t.equal(new Set([...names, first[1].value]).size, 3)
    t.match(await accountOf(panel, second[1].value), { domain: null, package: 'starter' })
  })

  await t.test('a domain may be asked for, and passwords are made where none is given', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const add = async (vars: object, domain = 'required') => {
      const outcome = await php.run('addService', {
        package: 'starter',
        domain,
        vars: { email: order.email, use_module: 'false', ...vars },
      })
      isClean(t, outcome, [])
      return outcome.value
    }
    t.match(await add({}), { meta: null, message: 'Enter a domain such as example.com.' })
    t.match(await add({ panel_domain: 'a b.example' }), { ok: false, meta: null })
    t.match(await add({ panel_domain: ['x'] }), { ok: false, meta: null })
    t.match(await add({}, 'optional'), { ok: true })
    const { meta } = await add({ domain: ' https://WWW.Example.COM/ ' })
    t.match(meta, [{ value: 'example.com' }, {}, { value: /^[\w]{16}$/ }])
    for (const bad of ['short', 'with a\nline', 'x'.repeat(129)]) {
      const outcome = await add({ domain: 'a.example', panel_password: bad })
      t.match(outcome, { meta: null, message: 'A password has 8 to 128 characters.' })
    }
    t.match(await add({ domain: 'a.example', panel_username: 'No!' }), { ok: false, meta: null })
  })

  await t.test("an order gets nothing of another order's account", async t => {
    await php.run('connect', server)
    const theirs = await made(t, bench)
    const { username } = theirs
    const mine = newOrder()
    // Any field that a customer adds to the order form arrives with the order.
    const claimed = await php.run('order', { ...mine, username })
    t.match(claimed.value, { ok: false, message: /belongs to another order/ })
    const alone = { ...newOrder(), username: `alone${mine.service}` }
    const { service: _, ...body } = alone
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
    const named = await php.run('order', { ...mine, username: alone.username })
    t.match(named.value, { ok: false, message: /is taken on the panel server/ })
    // Staff may connect an account with a service.
    const own = { email: mine.email, use_module: 'false', panel_username: alone.username }
    const connected = await php.run('addService', { status: 'active', vars: own })
    t.match(connected.value, { ok: true, meta: [{}, { value: alone.username }, {}] })
    const given = { email: mine.email, use_module: 'true', panel_username: username }
    const vars = { ...given, panel_domain: mine.domain }
    const added = await php.run('addService', { package: 'starter', vars })
    t.match(added.value, { ok: true })
    t.not(added.value.meta[1].value, username)
    const taken = await php.run('addService', {
      package: 'starter',
      vars: { ...given, panel_domain: theirs.domain },
    })
    t.match(taken.value, { ok: false, meta: null, message: /taken/ })
    t.match(await accountOf(panel, username), { email: theirs.email, state: 'active' })
  })

  await t.test('an order that may be on one server is not made on another', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    await php.run('connect', { ...server, row: 2 })
    const order = newOrder()
    const vars = { email: order.email, use_module: 'true', panel_domain: order.domain }
    const add = (row: number) => php.run('addService', { package: 'starter', row, vars })
    const html = { status: 200, body: '<p>It works!</p>' }
    // Done, but the answer is lost, and so is that of the look-up.
    faulty.always({ afterwards: html })
    t.match((await add(1)).value, { ok: false, meta: null, message: /not a panel/ })
    faulty.always('pass')
    t.equal((await accountsFor(panel, order)).length, 1)
    t.match((await add(2)).value, { ok: false, message: /tried first may have made/ })
    const again = await add(1)
    t.match(again.value, { ok: true })
    t.strictSame(await accountsFor(panel, order), [again.value.meta[1].value])
    // An order that has certainly done nothing blocks no other.
    await php.run('connect', { ...server, port: 1 })
    const next = { ...vars, email: newOrder().email, panel_domain: newOrder().domain }
    const addNext = (row: number) => php.run('addService', { package: 'unknown', row, vars: next })
    t.match((await addNext(2)).value, { ok: false, message: /package/ })
    await php.run('connect', server)
    t.match((await php.run('addService', { package: 'starter', row: 1, vars: next })).value, {
      ok: true,
    })
  })

  await t.test('capital letters of staff are folded', async t => {
    await php.run('connect', server)
    const { service, ...order } = newOrder()
    const username = `staff${service}`
    const vars = { email: order.email, use_module: 'true', panel_domain: order.domain }
    const given = { ...vars, panel_username: ` ${username.toUpperCase()} ` }
    const added = await php.run('addService', { package: 'starter', vars: given })
    t.match(added.value, { ok: true, meta: [{}, { value: username }] })
    t.strictSame(await accountsFor(panel, { ...order, service }), [username])
  })

  await t.test('errors are of the service at hand', async t => {
    await php.run('connect', server)
    const order = await made(t, bench)
    const missing = newOrder()
    await php.run('order', missing)
    t.equal((await php.run('suspend', missing)).value.ok, false)
    t.match((await php.run('suspend', order)).value, { ok: true, meta: null })
  })

  await t.test('the reason of an earlier suspension is not that of this one', async t => {
    await php.run('connect', server)
    const { service, username } = await made(t, bench)
    t.ok((await php.run('suspend', { service, reason: 'Overdue' })).value.ok)
    t.ok((await php.run('unsuspend', { service })).value.ok)
    t.ok((await php.run('suspend', { service, reason: 'Spam' })).value.ok)
    t.match(await accountOf(panel, username), { state: 'suspended', suspend_reason: null })
  })

  await t.test('a log that takes nothing keeps nothing from being done', async t => {
    await php.run('connect', server)
    await php.run('fillLog', { isFull: true })
    const order = await made(t, bench)
    await php.run('fillLog', { isFull: false })
    t.strictSame(await accountsFor(panel, order), [order.username])
  })
}
