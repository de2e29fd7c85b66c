import type { Test } from 'tap'
import { makeReseller } from '../../support/reseller.ts'
import { followsTheClient, opensNoFormerAccounts } from '../addresses.ts'
import { refusal } from '../faulty.ts'
import { accountOf, accountsFor, newOrder, withoutReference } from '../scenarios.ts'
import type { WhmcsBench } from './bench.ts'

// A service acts on the account that it has now, and on no other one.

export async function operators(t: Test, bench: WhmcsBench): Promise<void> {
  const { panel, php, faulty, server } = bench

  await t.test('an order that was never made terminates no account', async t => {
    await php.run('connect', server)
    const [order, otherOrder] = [newOrder(), newOrder()]
    const { username } = (await php.run('create', otherOrder)).value
    await withoutReference(panel, username)
    t.equal((await php.run('create', { ...order, package: 'unknown' })).value.ok, false)
    await php.run('setService', { service: order.service, columns: { username } })
    t.match((await php.run('terminate', { service: order.service })).value, {
      ok: false,
      message: /belongs to another service/,
    })
    // Nor where WHMCS knows of no other service, and the client is the same.
    const { service } = order
    await php.run('setService', { service: otherOrder.service, columns: { username: '' } })
    await php.run('forget')
    t.match((await php.run('terminate', { service })).value, {
      ok: false,
      message: /has another e-mail address and domain/,
    })
    await php.run('changeEmail', { service, email: otherOrder.email, isMissed: true })
    t.match((await php.run('terminate', { service })).value, { ok: false })
    t.strictSame(await accountsFor(panel, otherOrder), [username])
  })

  await t.test('a service without an account opens no other account', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const [order, theirs] = [newOrder(), newOrder()]
    const { username } = (await php.run('create', theirs)).value
    await php.run('create', order)
    const { service } = order
    for (const domainstatus of ['Pending', 'Terminated', 'Cancelled', 'Fraud']) {
      await php.run('setService', { service, columns: { username, domainstatus } })
      const from = faulty.heard.length
      const message = `This service has no account: its status is ${domainstatus}.`
      const refused = { ok: false, message }
      t.strictSame((await php.run('signOn', { service })).value, refused)
      const password = 'a password of theirs'
      t.strictSame((await php.run('setPassword', { service, password })).value, refused)
      t.equal(faulty.heard.length, from)
    }
    // Where only the service's model says it.
    const asked = await php.run('signOn', { service, isOld: true })
    t.match(asked.value, { ok: false, message: /has no account/ })
  })

  await t.test('a service that has ended does nothing to the account of another', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const ended = newOrder()
    const { service } = ended
    const { username } = (await php.run('create', ended)).value
    await php.run('terminate', { service })
    // The same client orders the same again, and gets the username that is free by now.
    const { service: next } = newOrder()
    const made = await php.run('create', { ...ended, service: next })
    await withoutReference(panel, made.value.username)
    await php.run('setService', { service, columns: { username: made.value.username } })
    for (const domainstatus of ['Terminated', 'Cancelled', 'Fraud']) {
      await php.run('setService', { service, columns: { domainstatus } })
      const from = faulty.heard.length
      t.match((await php.run('terminate', { service })).value, { ok: true }, 'it is done already')
      for (const operation of ['suspend', 'unsuspend', 'changePackage']) {
        const outcome = await php.run(operation, { service, package: 'bigger', reason: null })
        t.match(outcome.value, { ok: false, message: /has no account: its status is/ })
      }
      t.equal(faulty.heard.length, from, 'the panel hears of none')
    }
    t.equal(made.value.username, username)
    t.match(await accountOf(panel, username), { state: 'active', package: 'starter' })
    // Its status alone does not make it the account's service again.
    await php.run('setService', { service, columns: { domainstatus: 'Active' } })
    for (const operation of ['suspend', 'changePackage', 'signOn', 'terminate']) {
      const outcome = await php.run(operation, { service, package: 'bigger', reason: null })
      t.match(outcome.value, { ok: false, message: /belongs to another service/ }, operation)
    }
    t.match((await php.run('terminate', { service: next })).value, { ok: true })
  })

  await t.test('an active service reaches no account that is not its own', async t => {
    await php.run('connect', server)
    const [order, alone] = [newOrder(), newOrder()]
    const { service: _, ...body } = { ...alone, username: `alone${alone.service}` }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
    await php.run('create', order)
    const { service } = order
    await php.run('setService', { service, columns: { username: body.username } })
    const operations = ['suspend', 'unsuspend', 'changePackage', 'setPassword', 'signOn']
    for (const operation of [...operations, 'terminate']) {
      const values = { service, package: 'bigger', reason: null, password: 'a good password' }
      const outcome = await php.run(operation, values)
      t.match(outcome.value, { ok: false, message: /another e-mail address and domain/ }, operation)
    }
    const same = { email: alone.email, state: 'active', package: 'starter' }
    t.match(await accountOf(panel, body.username), same)
  })

  await t.test('an account of the server sync is the service’s by address or domain', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { username } = (await php.run('create', order)).value
    await php.run('forget')
    await withoutReference(panel, username)
    await php.run('changeEmail', { ...order, email: 'moved@example.com', isMissed: true })
    t.match((await php.run('suspend', { service: order.service })).value, { ok: true })
    // From then on it is known, whatever becomes of both.
    await panel.pool.query(
      `update panel.accounts set email = 'y@example.com' where username = $1`,
      [username],
    )
    await php.run('setService', { service: order.service, columns: { domain: 'y.example' } })
    t.match((await php.run('unsuspend', { service: order.service })).value, { ok: true })
  })

  await t.test('an account made again under the name of one that is gone is another', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    await panel.call('DELETE', `/api/v1/accounts/${username}`)
    const { service: _, ...body } = { ...newOrder(), username, domain: order.domain }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
    t.match((await php.run('terminate', { service })).value, { ok: false })
    t.match((await php.run('suspend', { service })).value, { ok: false })
    t.match(await accountOf(panel, username), { email: body.email, state: 'active' })
  })

  await t.test('an account that is on another server is not terminated already', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    const { token } = await makeReseller(panel.pool, 'elsewhere')
    await php.run('connect', { ...server, id: 2, token })
    const { value } = await php.run('terminate', { service })
    t.match(value, { ok: false, message: /made on another server: number 1/ })
    await php.run('connect', server)
    t.match((await php.run('terminate', { service })).value, { ok: true })
    t.equal(await accountOf(panel, username), undefined)
  })

  await t.test('addons of one service have an account each', async t => {
    await php.run('connect', server)
    const order = { ...newOrder(), domain: '' }
    const { service } = order
    const { username: parent } = (await php.run('create', order)).value
    const create = async (addon: string) => {
      const columns = { username: '', status: 'Pending' }
      const given = { function: 'CreateAccount', service, addon, columns }
      const { value } = await php.run('addon', given)
      t.match(value, { ok: true }, 'create', value)
      await php.run('addon', { ...given, function: 'MetaData', columns: { status: 'Active' } })
      return value.username as string
    }
    const [one, two] = [`${service}1`, `${service}2`]
    const names = [parent, await create(one), await create(two)]
    t.equal(new Set(names).size, 3)
    t.strictSame((await accountsFor(panel, order)).sort(), names.toSorted())
    const given = { service, addon: one, function: 'TerminateAccount' }
    t.match((await php.run('addon', given)).value, { ok: true })
    t.strictSame((await accountsFor(panel, order)).sort(), [parent, names[2]].toSorted())
    // The service's own username is not its addon's either.
    await withoutReference(panel, parent)
    const columns = { username: parent }
    const other = { service, addon: two, function: 'SuspendAccount', columns }
    t.match((await php.run('addon', other)).value, {
      ok: false,
      message: /belongs to another service/,
    })
    t.match(await accountOf(panel, parent), { state: 'active' })
  })

  await t.test('orders go on when their clients change address', async t => {
    await php.run('connect', server)
    await followsTheClient(t, bench, newOrder())
    await followsTheClient(t, bench, { ...newOrder(), domain: '' })
    await opensNoFormerAccounts(t, bench, ({ service }, username) =>
      php.run('setService', { service, columns: { username } }),
    )
  })

  await t.test('an address that is refused keeps nothing from being done', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    await php.run('changeEmail', { service, email: 'moved@example.com', isMissed: true })
    const from = faulty.heard.length
    faulty.next({ instead: refusal(405, 'PATCH is not supported at this path') })
    t.match((await php.run('suspend', { service })).value, { ok: true })
    const methods = faulty.heard.slice(from).map(({ method }) => method)
    t.strictSame(methods, ['GET', 'PATCH', 'POST'])
    t.match(await accountOf(panel, username), { email: order.email, state: 'suspended' })
  })

  await t.test('an account gets its client’s address at once', async t => {
    await php.run('connect', server)
    const [order, other] = [newOrder(), newOrder()]
    const { username } = (await php.run('create', order)).value
    const { username: untouched } = (await php.run('create', other)).value
    const columns = { userid: 8 }
    await php.run('setService', { service: other.service, columns })
    const email = `moved${order.service}@example.com`
    await php.run('changeEmail', { service: order.service, email })
    t.match(await accountOf(panel, username), { email })
    t.match(await accountOf(panel, untouched), { email: other.email })
    // The button says what is wrong.
    await php.run('changeEmail', { service: order.service, email: 'none', isMissed: true })
    const pressed = await php.run('asked', {
      function: 'UpdateAddress',
      service: order.service,
    })
    t.match(pressed.value, /^email is not/)
  })
}
