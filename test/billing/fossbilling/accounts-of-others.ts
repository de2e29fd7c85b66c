import type { Test } from 'tap'
import type { Panel } from '../../support/panel.ts'
import type { Faulty } from '../faulty.ts'
import type { Php } from '../php.ts'
import { followsTheClient, opensNoFormerAccounts } from '../addresses.ts'
import { accountOf, accountsFor, isClean, newOrder, withoutReference } from '../scenarios.ts'

// Orders that name another customer's account, by chance or because a customer wrote it there.

type Bench = {
  panel: Panel
  php: Php
  faulty: Faulty
  /** Connects without the proxy, and through it. */
  server: object
  watched: object
  reseller: { token: string }
}

export async function accountsOfOthers(t: Test, bench: Bench): Promise<void> {
  const { panel, php, faulty, server, watched, reseller } = bench

  await t.test('a username that is taken is left to whom it belongs', async t => {
    await php.run('connect', { ...server, token: reseller.token })
    const order = newOrder()
    const username = (await php.run('usernames', { domains: [order.domain] })).value[0]
    const { service: _, ...theirs } = newOrder()
    const body = { ...theirs, username }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)

    const refused = await php.run('create', order)
    isClean(t, refused, [order.password, reseller.token])
    t.match(refused.value, { ok: false, message: /^username \w+ is taken/ })
    t.strictSame(await accountsFor(panel, order), [])
    t.match(await accountOf(panel, username), { email: theirs.email, domain: theirs.domain })

    // The order's configuration names another one, in whatever spelling.
    const chosen = await php.run('create', { ...order, username: 'MyShop' })
    t.match(chosen.value, { ok: true })
    t.strictSame(await accountsFor(panel, order), ['myshop'])
    t.match((await php.run('suspend', { service: order.service })).value, { ok: true })
    t.match(await accountOf(panel, 'myshop'), { state: 'suspended' })
    t.match(await accountOf(panel, username), { state: 'active' })
  })

  await t.test('an account that cannot be the order’s is left alone', async t => {
    await php.run('connect', server)
    const [order, theirs] = [newOrder(), newOrder()]
    const { username } = (await php.run('create', theirs)).value
    const taken = await php.run('create', { ...order, username })
    t.match(taken.value, { ok: false, message: /^username \w+ is taken/ })
    const { service, email, domain } = order
    const fields = { ...order, username, email, domain, status: 'active' }
    await php.run('set', { service, fields })
    const outcome = await php.run('terminate', { service })
    t.match(outcome.value, { ok: false, message: /belongs to another (client|order)/ })
    t.match(await accountOf(panel, username), { state: 'active' })
  })

  await t.test('customer input in an order opens no other account', async t => {
    await php.run('connect', watched)
    const [order, theirs] = [newOrder(), newOrder()]
    const { service } = order
    const { username } = (await php.run('create', theirs)).value
    await php.run('create', order)
    // FOSSBilling stores both as they are while an order is suspended, and calls no manager.
    await php.run('set', { service, fields: { username, domain: theirs.domain } })
    const from = faulty.heard.length
    const tried = await Promise.all([
      php.run('suspend', { service }),
      php.run('call', { service, method: 'unsuspendAccount' }),
      php.run('changePackage', { service, package: 'bigger' }),
      php.run('synchronize', { service }),
      php.run('signOn', { service }),
      php.run('call', { service, method: 'getResellerLoginUrl' }),
      php.run('setPassword', { service, password: 'a password of theirs' }),
      php.run('terminate', { service }),
    ])
    for (const outcome of tried) {
      isClean(t, outcome, [theirs.email])
      const message = `The account ${username} belongs to another order`
      t.match(outcome.value, { ok: false, message })
    }
    t.notOk(faulty.heard.slice(from).some(({ method }) => method !== 'GET'))
    const same = { email: theirs.email, state: 'active', package: 'starter' }
    t.match(await accountOf(panel, username), same)
    t.match((await php.run('signOn', { service: theirs.service })).value, { ok: true })
    // Where FOSSBilling's books are closed to managers, by the address alone.
    await php.run('closeBooks')
    t.match((await php.run('unsuspend', { service: theirs.service })).value, { ok: true })
    const message = `The account ${username} has another e-mail address than this client`
    for (const operation of ['suspend', 'changePackage', 'signOn', 'terminate']) {
      const outcome = await php.run(operation, { service, package: 'bigger' })
      t.match(outcome.value, { ok: false, message }, operation)
    }
    t.match((await php.run('suspend', { service: theirs.service })).value, { ok: true })
    t.match((await php.run('terminate', { service: theirs.service })).value, { ok: true })
    await php.run('openBooks')
  })

  await t.test('where the books cannot be read, nothing is done', async t => {
    await php.run('connect', watched)
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    for (const fault of ['isEmpty', 'isAway']) {
      await php.run('openBooks', { [fault]: true })
      const from = faulty.heard.length
      const tried = await Promise.all([
        php.run('call', { service, method: 'createAccount' }),
        php.run('suspend', { service }),
        php.run('changePackage', { service, package: 'bigger' }),
        php.run('synchronize', { service }),
        php.run('signOn', { service }),
        php.run('terminate', { service }),
      ])
      for (const outcome of tried) {
        isClean(t, outcome, [order.email])
        const message = /^It is not known whose account .* tables of FOSSBilling cannot be read/
        t.match(outcome.value, { ok: false, message }, fault)
      }
      t.equal(faulty.heard.length, from, 'the panel hears of none')
    }
    await php.run('openBooks')
    t.match(await accountOf(panel, username), { state: 'active', package: 'starter' })
    t.match((await php.run('terminate', { service })).value, { ok: true })
  })

  await t.test('orders go on when their clients change address', async t => {
    await php.run('connect', server)
    await followsTheClient(t, { panel, php }, newOrder())
    await opensNoFormerAccounts(t, { panel, php }, async (thief, username, { domain }) => {
      // Also an order that is like the other in everything is not made its account's.
      const like = { ...thief, service: newOrder().service, username, domain }
      const outcome = await php.run('create', like)
      t.match(outcome.value, { ok: false, message: /is taken/ })
      await php.run('set', { service: thief.service, fields: { username, domain } })
    })
  })

  await t.test('two orders of one client for one domain share nothing', async t => {
    await php.run('connect', server)
    const first = newOrder()
    const { username } = (await php.run('create', first)).value
    const second = { ...first, service: newOrder().service }
    const { service } = second
    t.match((await php.run('create', second)).value, { ok: false, message: /is taken/ })
    // Also where its configuration names the account.
    t.match((await php.run('create', { ...second, username })).value, { ok: false })
    const fields = { username, status: 'active' }
    await php.run('set', { service, fields })
    for (const operation of ['suspend', 'signOn', 'terminate']) {
      const message = /belongs to another order: its reference is fossbilling-/
      t.match((await php.run(operation, { service })).value, { ok: false, message }, operation)
    }
    t.match(await accountOf(panel, username), { state: 'active' })
    await php.run('set', { service, fields: { username: null } })
    t.match((await php.run('terminate', { service })).value, { ok: true }, 'it had none')
    t.match(await accountOf(panel, username), { state: 'active' })
    t.match((await php.run('terminate', { service: first.service })).value, { ok: true })
    t.equal(await accountOf(panel, username), undefined)
  })

  await t.test('staff can separate two orders that shared an account', async t => {
    await php.run('connect', server)
    const first = newOrder()
    const { username } = (await php.run('create', first)).value
    await withoutReference(panel, username)
    await php.run('forget')
    const { service } = newOrder()
    await php.run('set', { service, fields: { ...first, service, username, status: 'active' } })
    for (const each of [first.service, service]) {
      const message = /^Order number \d+ has the account \w+ too: change the username/
      t.match((await php.run('terminate', { service: each })).value, { ok: false, message })
    }
    await php.run('set', { service, fields: { username: 'none-of-it' } })
    t.match((await php.run('suspend', { service: first.service })).value, { ok: true })
    // From then on it is the first one's.
    await php.run('set', { service, fields: { username } })
    const message = `The account ${username} belongs to another order, number ${first.service}.`
    t.match((await php.run('terminate', { service })).value, { ok: false, message })
    t.match((await php.run('terminate', { service: first.service })).value, { ok: true })
  })

  await t.test('an order whose create was lost is cancelled with its account', async t => {
    await php.run('connect', watched)
    const order = newOrder()
    faulty.always({ afterwards: { status: 200, body: '<p>It works!</p>' } })
    t.match((await php.run('create', order)).value, { ok: false })
    faulty.always('pass')
    t.equal((await accountsFor(panel, order)).length, 1)
    t.match((await php.run('terminate', { service: order.service })).value, { ok: true })
    t.strictSame(await accountsFor(panel, order), [])
  })

  await t.test('where the log does not name the order, the client counts', async t => {
    await php.run('setLog', { isReporting: false })
    await php.run('connect', server)
    const order = newOrder()
    // The last order that the log has named is not this one.
    const { username } = (await php.run('create', order)).value
    t.match(await accountOf(panel, username), { reference: null })
    t.match((await php.run('suspend', { service: order.service })).value, { ok: true })
    t.match((await php.run('terminate', { service: order.service })).value, { ok: true })
    t.equal(await accountOf(panel, username), undefined)
    await php.run('setLog', { isReporting: true })
  })

  await t.test('a cancelled order opens nothing that was made after it', async t => {
    await php.run('connect', server)
    const former = newOrder()
    await php.run('create', former)
    await php.run('terminate', { service: former.service })
    const { service, email } = newOrder()
    const { username } = (await php.run('create', { ...former, service, email })).value
    t.match((await php.run('signOn', { service: former.service })).value, { ok: false })
    t.match((await php.run('terminate', { service: former.service })).value, { ok: false })
    t.match(await accountOf(panel, username), { email, state: 'active' })
  })
}
