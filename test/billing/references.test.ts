import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { startPhp, withoutPhp } from './php.ts'
import { accountOf, accountsFor, newOrder, sellPackages } from './scenarios.ts'

// Accounts by the references of orders: whose they are, and what proves that one is gone.

t.test('references of orders', { skip: withoutPhp }, async t => {
  const panel = await openPanel(t)
  const { port } = new URL(panel.baseUrl)
  const direct = { host: '127.0.0.1', isSecure: false, port }
  const server = { ...direct, token: panel.token }
  const php = startPhp(t, { operations: 'shared/operations.php' })
  await sellPackages(panel)

  await t.test('only an account with the reference of the order is taken for it', async t => {
    await php.run('connect', server)
    const order = { ...newOrder(), domain: '', username: 'chosen' }
    const { service, domain, ...fields } = order
    const reference = `test:${service}`
    const make = async (given: object) => {
      await panel.call('DELETE', '/api/v1/accounts/chosen')
      const body = { ...fields, ...given }
      t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
    }
    // However much it is like the order.
    for (const given of [{}, { reference: `other:${service}` }, { reference: `${reference}0` }]) {
      await make(given)
      const { username } = (await php.run('create', order)).value
      t.match(username, /^u[0-9a-f]{6}$/, JSON.stringify(given))
      await panel.call('DELETE', `/api/v1/accounts/${username}`)
    }
    // And however little; it is brought to what the order says.
    await make({ reference, email: 'x@example.com', package: 'bigger', username: 'chosen' })
    const again = await php.run('create', { ...order, username: 'another' })
    t.match(again.value, { ok: true, username: 'chosen' })
    t.match(await accountOf(panel, 'chosen'), { email: order.email, package: 'starter' })
    const lacking = await php.run('create', { ...order, domain: 'lacking.example' })
    t.match(lacking.value, { ok: false, message: /chosen .* without the domain lacking\.example/ })
    await panel.call('POST', '/api/v1/accounts/chosen/suspend')
    const message = 'The account chosen is there already: it is suspended.'
    t.strictSame((await php.run('create', order)).value, { ok: false, message })
    await panel.call('DELETE', '/api/v1/accounts/chosen')
  })

  await t.test('an order without a reference finds its account by the name', async t => {
    await php.run('connect', server)
    const order = { ...newOrder(), reference: '' }
    const { username } = (await php.run('create', order)).value
    t.match((await php.run('create', order)).value, { ok: true, username })
    t.strictSame(await accountsFor(panel, order), [username])
    // Only as the order says: it may be another one of the name.
    t.not((await php.run('create', { ...order, package: 'bigger' })).value.username, username)
  })

  await t.test('terminates what is already terminated, but not what it cannot see', async t => {
    const seller = await makeReseller(panel.pool, 'proofs')
    await sellPackages(panel, seller.token)
    const other = await makeReseller(panel.pool, 'proofs-other')
    const at = (token: string) => php.run('connect', { ...direct, token })
    const here = `http://127.0.0.1:${port}/`
    const made = async () => {
      const order = newOrder()
      await at(seller.token)
      const { username } = (await php.run('create', order)).value
      const path = `/api/v1/accounts/${username}`
      return { ...order, username, path, madeAt: (await accountOf(panel, username)).created_at }
    }
    const gone = async () => {
      const order = await made()
      t.equal((await panel.call('DELETE', order.path)).status, 200)
      return order
    }
    const ends = async (service: string, link: object = {}, more = {}) =>
      (await php.run('terminate', { service, link, ...more })).value
    const elsewhere = { ok: false, message: /made on another server: https:\/\/elsewhere/ }
    const unproved = { ok: false, message: /does not see the account .* nothing proves/ }

    // The panel remembers it by the reference.
    t.match(await ends((await gone()).service), { ok: true })
    // Unless the order has had another one since: by another token, elsewhere, or later.
    const { service, madeAt } = await gone()
    for (const [link, outcome] of [
      [{ seller: 'proofs-other' }, unproved],
      [{ seller: 'proofs-other', server: here, madeAt }, unproved],
      [{ server: 'https://elsewhere.example:8443/', madeAt }, elsewhere],
      [{ seller: 'proofs', server: 'https://elsewhere.example:8443/' }, elsewhere],
      [{ madeAt: '2026-01-02T03:04:05.678Z' }, unproved],
      [{ madeAt: '2026-01-02T03:04:05.678Z', server: here }, unproved],
      [{ madeAt }, { ok: true }],
      [{ seller: 'proofs', server: here, madeAt }, { ok: true }],
    ] as const) {
      t.match(await ends(service, link), outcome, JSON.stringify(link))
    }
    // The token of another operator, or of another server: no success is reported.
    const order = await made()
    await at(other.token)
    for (const link of [{}, { seller: 'proofs' }, { seller: 'proofs', server: here }]) {
      t.match(await ends(order.service, link), unproved, JSON.stringify(link))
    }
    const moved = { seller: 'proofs-other', server: 'https://elsewhere.example:8443/' }
    t.match(await ends(order.service, moved), elsewhere)
    t.match(await accountOf(panel, order.username), { state: 'active' })
    // A create that has never succeeded leaves nothing, if the panel knows the token.
    await at(seller.token)
    const never = { service: newOrder().service, link: { isMade: false } }
    t.match((await php.run('terminate', never)).value, { ok: true })
    await at('pnl_wrong')
    t.match((await php.run('terminate', never)).value, { ok: false })
    // An account of a create whose answer was lost is the order's.
    const lost = await made()
    t.match(await ends(lost.service, { isMade: false }), { ok: true })
    t.equal(await accountOf(panel, lost.username), undefined)
    // Another order's, also where this order names it.
    const theirs = await made()
    const message = /belongs to another order: its reference is test:/
    t.match(await ends(theirs.service, {}, { reference: 'test:x' }), { ok: false, message })
    t.match(await accountOf(panel, theirs.username), { state: 'active' })
  })
})
