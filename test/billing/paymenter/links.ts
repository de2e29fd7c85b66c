import type { Test } from 'tap'
import { followsTheClient, opensNoFormerAccounts } from '../addresses.ts'
import { makeReseller } from '../../support/reseller.ts'
import { openFaulty, refusal } from '../faulty.ts'
import { accountOf, accountsFor, isClean, newOrder, withoutReference } from '../scenarios.ts'
import { unable, type PaymenterBench } from './bench.ts'

// The account of a service, as far as Paymenter's own seal on it proves.

const unsealed = /is not sealed by this Paymenter: trigger Create Server/

export async function links(t: Test, bench: PaymenterBench): Promise<void> {
  const { panel, php, faulty, server } = bench
  const watched = { ...server, port: faulty.port }

  await t.test('a username that was sent along with an order opens no account', async t => {
    await php.run('connect', watched)
    const theirs = newOrder()
    const { username } = (await php.run('create', theirs)).value
    const { panel_seal } = (await php.run('properties', theirs)).value
    const order = newOrder()
    const { service } = order
    await php.run('order', { ...order, sent: { panel_username: username, panel_seal } })
    // As it is until the job of the create has run.
    await php.run('setStatus', { service, status: 'active' })
    const from = faulty.heard.length
    t.strictSame((await php.run('page', { service })).value, [])
    await php.run('call', { service, function: 'resetPassword' })
    const pressed = ['login', 'makePassword']
    for (const name of [...pressed, 'suspendServer', 'unsuspendServer', 'upgradeServer']) {
      const outcome = await php.run('call', { service, function: name })
      isClean(t, outcome, [panel.token])
      const message = pressed.includes(name) ? unable : unsealed
      t.match(outcome.value, { ok: false, message }, name)
      t.match(outcome.logged, unsealed)
    }
    t.equal(faulty.heard.length, from)
    t.match((await php.run('terminate', { service })).value, { ok: false, message: unsealed })
    t.match(await accountOf(panel, username), { state: 'active' })

    const sent = { panel_username: username, panel_seal }
    const made = await php.run('create', { ...order, sent })
    t.match(made.value, { ok: true })
    t.not(made.value.username, username)
    t.match(await accountOf(panel, username), { email: theirs.email })
    t.match((await php.run('signOn', { service })).value, { ok: true })
  })

  await t.test('an account whose name could not be stored is found again', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    await php.run('setReadOnly', { isReadOnly: true })
    t.match((await php.run('create', order)).value, { ok: false, message: /read-only/ })
    t.strictSame(await accountsFor(panel, order), [], 'what cannot be recorded is not sent')
    await php.run('setReadOnly', { isReadOnly: false })
    const { username } = (await php.run('create', order)).value
    await php.run('setProperties', { service, properties: { domain: order.domain } })
    t.match((await php.run('create', order)).value, { ok: true, username })
    t.strictSame(await accountsFor(panel, order), [username])
    await php.run('setProperties', { service, properties: { domain: order.domain } })
    t.match((await php.run('terminate', { service })).value, { ok: true })
    t.strictSame(await accountsFor(panel, order), [], 'nothing is left behind')
  })

  await t.test('an order that was never made is terminated, if the panel confirms it', async t => {
    await php.run('connect', server)
    const order = newOrder()
    t.match((await php.run('create', { ...order, package: 'none' })).value, { ok: false })
    t.match((await php.run('terminate', order)).value, { ok: true })
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    t.match((await php.run('terminate', order)).value, { ok: false, message: /API token/ })
    // Anything on the way may say so: only a panel knows the token.
    await php.run('connect', watched)
    faulty.always({ instead: refusal(404, 'Nothing is here') })
    t.match((await php.run('terminate', order)).value, {
      ok: false,
      message: 'Nothing is here',
    })
    faulty.always('pass')
  })

  await t.test('a key that Paymenter had before still opens the seal', async t => {
    await php.run('connect', server)
    const [order, unread, kept] = [newOrder(), newOrder(), newOrder()]
    const { username } = (await php.run('create', order)).value
    const { username: other } = (await php.run('create', unread)).value
    const { username: third } = (await php.run('create', kept)).value
    await withoutReference(panel, other)
    const former = 'base64:key of this Paymenter'
    await php.run('setConfig', { 'app.key': 'base64:new', 'app.previous_keys': [former] })
    t.match((await php.run('suspend', order)).value, { ok: true })
    t.match(await accountOf(panel, username), { state: 'suspended' })
    t.match((await php.run('terminate', order)).value, { ok: true })
    t.equal(await accountOf(panel, username), undefined)

    // A forgotten service opens no account: no success is reported then.
    await php.run('setConfig', { 'app.previous_keys': [] })
    t.match((await php.run('suspend', unread)).value, { ok: false, message: unsealed })
    await panel.call('PUT', `/api/v1/accounts/${other}/package`, { body: { package: 'bigger' } })
    const { service } = unread
    t.match((await php.run('terminate', { service })).value, { ok: false, message: unsealed })
    t.match(await accountOf(panel, other), { state: 'active' })
    // The reference that is stored with a service finds its account without a seal.
    t.match((await php.run('suspend', kept)).value, { ok: false, message: unsealed })
    t.match((await php.run('create', kept)).value, { ok: true, username: third })
    t.match((await php.run('suspend', { service: kept.service })).value, { ok: true })
    t.match((await php.run('terminate', { service: kept.service })).value, { ok: true })
    t.equal(await accountOf(panel, third), undefined)
    await php.run('setConfig', { 'app.key': former })
  })

  await t.test('an order is not over before its account is', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    const sealed = (await php.run('properties', { service })).value
    await withoutReference(panel, username)
    const ends = async (properties: object, says: RegExp) => {
      await php.run('setProperties', { service, properties })
      t.match((await php.run('terminate', { service })).value, { ok: false, message: says })
      t.match(await accountOf(panel, username), { state: 'active' })
    }
    await panel.call('PUT', `/api/v1/accounts/${username}/package`, { body: { package: 'bigger' } })
    // Typed by hand; lost; and of a server that the service was on.
    await ends({ domain: order.domain, panel_username: username }, unsealed)
    await ends({ domain: order.domain, panel_username: 'No Name' }, unsealed)
    const elsewhere = await openFaulty(t, panel.baseUrl)
    const { token } = await makeReseller(panel.pool, 'elsewhere')
    await php.run('connect', { ...server, port: elsewhere.port, token })
    await ends(sealed, /was made on another server: http/)
    await php.run('connect', server)
    t.match((await php.run('terminate', { service })).value, { ok: true })
    t.equal(await accountOf(panel, username), undefined)
  })

  await t.test('an account made again under the name of one that is gone is another', async t => {
    await php.run('connect', server)
    const { service, ...order } = newOrder()
    const { username } = (await php.run('create', { service, ...order })).value
    await panel.call('DELETE', `/api/v1/accounts/${username}`)
    const { service: _, ...body } = { ...newOrder(), username }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
    for (const operation of ['suspend', 'unsuspend', 'signOn', 'terminate']) {
      const outcome = await php.run(operation, { service })
      t.match(outcome.value, { ok: false, message: /is another one than was made/ }, operation)
    }
    t.match(await accountOf(panel, username), { email: body.email, state: 'active' })
  })

  await t.test('orders go on when their clients change address', async t => {
    await php.run('connect', server)
    await followsTheClient(t, bench, newOrder())
    await followsTheClient(t, bench, { ...newOrder(), domain: '' })
    await opensNoFormerAccounts(t, bench, async ({ service }, panel_username) => {
      const { value } = await php.run('properties', { service })
      await php.run('setProperties', { service, properties: { ...value, panel_username } })
    })
  })

  await t.test('an account gets its client’s address at once', async t => {
    await php.run('connect', server)
    await php.run('boot')
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    const email = `moved${service}@example.com`
    await php.run('changeEmail', { service, email })
    t.match(await accountOf(panel, username), { email })
    // Where the panel is slow, the profile is saved all the same.
    await php.run('connect', watched)
    faulty.always({ delayMs: 3_000 })
    const slow = await php.run('changeEmail', { service, email: `slow${service}@example.com` })
    faulty.always('pass')
    t.ok(slow.ms < 5_500, '5 s at most', { ms: slow.ms })
    // Where the panel is away, Paymenter goes on.
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    const missed = await php.run('changeEmail', { service, email: 'later@example.com' })
    isClean(t, missed, ['pnl_wrong', 'later@example.com'])
  })
}
