import type { Test } from 'tap'
import { followsTheClient, opensNoFormerAccounts } from '../addresses.ts'
import { accountOf, accountsFor, newOrder, withoutReference } from '../scenarios.ts'
import { made, type Bench } from './bench.ts'

// A service acts on the account that it has now, and on no other one.

export async function operators(t: Test, bench: Bench): Promise<void> {
  const { panel, php, faulty, server, sellersToken } = bench

  await t.test('an order that was never made terminates no account', async t => {
    await php.run('connect', server)
    const [order, other] = [newOrder(), await made(t, bench)]
    await withoutReference(panel, other.username)
    await php.run('order', order)
    const { service } = order
    const { value } = await php.run('service', order)
    const meta = value.fields.map((field: { key: string }) =>
      field.key === 'panel_username' ? { ...field, value: other.username } : field,
    )
    await php.run('setFields', { service, meta })
    await php.run('setService', { service, columns: { status: 'active' } })
    t.match((await php.run('terminate', { service })).value, {
      ok: false,
      message: /belongs to another service/,
    })
    // Nor where Blesta knows of no other service.
    await php.run('setFields', { service: other.service, meta: [] })
    const operations = ['suspend', 'unsuspend', 'changePackage', 'setPassword', 'signOn']
    for (const operation of [...operations, 'terminate']) {
      const values = { service, package: 'bigger', password: 'a good password' }
      const outcome = await php.run(operation, values)
      t.match(outcome.value, { ok: false, message: /another e-mail address and domain/ }, operation)
    }
    t.match(await accountOf(panel, other.username), { state: 'active', package: 'starter' })
    t.strictSame(await accountsFor(panel, other), [other.username])
  })

  await t.test('an order that was not let through, or has ended, terminates nothing', async t => {
    await php.run('connect', { ...server, port: faulty.port })
    const { service } = await made(t, bench)
    const from = faulty.heard.length
    for (const status of ['pending', 'in_review', 'canceled']) {
      await php.run('setService', { service, columns: { status } })
      t.match((await php.run('terminate', { service })).value, { ok: true, meta: null })
      await php.run('setService', { service, columns: { status } })
      for (const operation of ['suspend', 'unsuspend', 'changePackage']) {
        const { value } = await php.run(operation, { service, package: 'bigger' })
        t.match(value, { ok: false, message: 'This service is not active.' })
      }
    }
    t.equal(faulty.heard.length, from)
  })

  await t.test('an account made again under the name of one that is gone is another', async t => {
    await php.run('connect', server)
    const { service, username, domain } = await made(t, bench)
    await panel.call('DELETE', `/api/v1/accounts/${username}`)
    const { service: _, ...body } = { ...newOrder(), username, domain }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
    for (const operation of ['suspend', 'signOn', 'terminate']) {
      t.match((await php.run(operation, { service })).value, { ok: false })
    }
    t.match(await accountOf(panel, username), { email: body.email, state: 'active' })
    // Unless staff say so, without the module, and the domain is the service's.
    const vars = { use_module: 'false', panel_username: `${username}x` }
    await php.run('edit', { service, vars })
    await php.run('edit', { service, vars: { ...vars, panel_username: username } })
    t.match((await php.run('suspend', { service })).value, { ok: true })
  })

  await t.test('an account that is on another server is not terminated already', async t => {
    await php.run('connect', server)
    const { service, username } = await made(t, bench)
    await php.run('connect', { ...server, host: 'localhost', token: sellersToken })
    const { value } = await php.run('terminate', { service })
    t.match(value, { ok: false, message: /made on another server: http:\/\/127/ })
    await php.run('connect', server)
    t.match((await php.run('terminate', { service })).value, { ok: true })
    t.equal(await accountOf(panel, username), undefined)
  })

  await t.test('orders go on when their clients change address', async t => {
    await php.run('connect', server)
    await followsTheClient(t, bench, newOrder())
    await followsTheClient(t, bench, { ...newOrder(), domain: '' })
    await opensNoFormerAccounts(t, bench, async ({ service }, username) => {
      const { value } = await php.run('service', { service })
      const meta = value.fields.map((field: { key: string }) =>
        field.key === 'panel_username' ? { ...field, value: username } : field,
      )
      await php.run('setFields', { service, meta })
    })
  })
}
