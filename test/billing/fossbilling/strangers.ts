import type { Test } from 'tap'
import type { Panel } from '../../panel.ts'
import type { Faulty } from '../faulty.ts'
import type { Php } from '../php.ts'
import { accountOf, accountsFor, isClean, newOrder } from '../scenarios.ts'

// Orders that name somebody else's account, by chance or because a customer wrote it there.

type Bench = {
  panel: Panel
  php: Php
  faulty: Faulty
  /** How to connect, and how with what stands between. */
  server: object
  watched: object
  reseller: { token: string }
}

export async function strangers(t: Test, bench: Bench): Promise<void> {
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
    t.match(outcome.value, { ok: false, message: /another e-mail address/ })
    t.match(await accountOf(panel, username), { state: 'active' })
  })

  await t.test('what a customer writes into an order opens nobody else’s account', async t => {
    await php.run('connect', watched)
    const [order, theirs] = [newOrder(), newOrder()]
    const { service } = order
    const { username } = (await php.run('create', theirs)).value
    await php.run('create', order)
    // FOSSBilling stores both as they are while an order is suspended, and tells no manager.
    await php.run('set', { service, fields: { username, domain: theirs.domain } })
    const from = faulty.heard.length
    const tried = await Promise.all([
      php.run('signOn', { service }),
      php.run('call', { service, method: 'getResellerLoginUrl' }),
      php.run('setPassword', { service, password: 'a password of theirs' }),
      php.run('terminate', { service }),
    ])
    for (const outcome of tried) {
      isClean(t, outcome, [theirs.email])
      const message = `The account ${username} has another e-mail address than this client`
      t.match(outcome.value, { ok: false, message })
    }
    t.notOk(faulty.heard.slice(from).some(({ method }) => method !== 'GET'))
    t.match(await accountOf(panel, username), { email: theirs.email, state: 'active' })
    t.match((await php.run('signOn', { service: theirs.service })).value, { ok: true })
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
