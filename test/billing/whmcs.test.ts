import t from 'tap'
import { openModule, worksAsAllDo } from './module.ts'
import { knowsItsOrders } from './references.ts'
import { withoutPhp } from './php.ts'
import { accountOf, accountsFor, isClean, newOrder } from './scenarios.ts'
import { operators } from './whmcs/owners.ts'
import { views } from './whmcs/views.ts'

// The module for WHMCS, as WHMCS calls it, against the real service.

t.test('WHMCS', { skip: withoutPhp }, async t => {
  const module = await openModule(t, 'whmcs')
  const { panel, php, faulty, server, watched, reseller, otherReseller } = module
  await worksAsAllDo(t, module)

  await t.test('every function takes an empty array', async t => {
    const { value: names } = await php.run('functions')
    t.ok(names.length > 10)
    const types: Record<string, string> = { usageupdate: 'object', adminlink: 'string' }
    const lists = /^(metad|metric|config|loadp|testc|servicesing|lista|clienta|admin(c|s)|custom)/
    for (const name of names.map((each: string) => each.slice('panel_'.length))) {
      const outcome = await php.run('function', { name })
      isClean(t, outcome, [])
      const type = types[name] ?? (lists.test(name) ? 'object' : 'string')
      t.equal(typeof outcome.value, type, name)
      if (type === 'string' && name !== 'adminlink') {
        t.equal(outcome.value, 'Enter the host name of the panel server.', name)
      }
    }
  })

  await t.test('parameters of any kind are no reason to warn or throw', async t => {
    await php.run('connect', server)
    const params = {
      serverhostname: '127.0.0.1',
      serverport: server.port,
      serveraccesshash: panel.token,
    }
    for (const odd of [null, 'x', 7, ['x'], { email: ['x'] }]) {
      const given = { ...params, username: odd, password: odd, clientsdetails: odd }
      const outcome = await php.run('function', { name: 'CreateAccount', params: given })
      isClean(t, outcome, [panel.token])
      t.match(outcome.value, /email is required/, JSON.stringify(odd))
    }
  })

  await t.test('the connection test says what to do', async t => {
    const answered = async (given: object) => {
      await php.run('connect', { ...server, ...given })
      const outcome = await php.run('test')
      isClean(t, outcome, [panel.token, 'pnl_wrong'])
      return outcome.value
    }
    t.strictSame(await answered({}), { ok: true, message: '' })
    t.match(await answered({ token: reseller.token }), { ok: true })
    t.match(await answered({ token: 'pnl_wrong' }), { message: /Make a new one in the panel/ })
    t.match(await answered({ token: '' }), { message: 'Enter the API token of the panel server.' })
    t.match(await answered({ host: 'http://panel.example' }), { message: /by https only/ })
    t.match(await answered({ isSecure: true }), {
      ok: false,
      message: /does not answer|not trusted/,
    })
  })

  await t.test('the packages on offer are those that the token may sell', async t => {
    await panel.call('PUT', '/api/v1/packages/ours-alone', { body: {} })
    await php.run('connect', server)
    const names = ['bigger', 'ours-alone', 'starter']
    t.strictSame((await php.run('packages')).value.packages, names)
    await php.run('connect', { ...server, token: reseller.token })
    t.strictSame((await php.run('packages')).value.packages, ['bigger', 'starter'])
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    t.match((await php.run('packages')).value, { ok: false, message: /./ })
  })

  await t.test('an account that another service has is not taken over', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { username } = (await php.run('create', order)).value
    const twin = { ...order, service: newOrder().service }
    const outcome = await php.run('create', twin)
    t.match(outcome.value, { ok: false, message: /domain .* is taken/ })
    t.strictSame(await accountsFor(panel, order), [username])
  })

  await t.test('no entity is sent where a special character was typed', async t => {
    await php.run('connect', watched)
    const { service, ...rest } = newOrder()
    const [password, email] = [`Tom & "Jerry" <'x'> &amp;`, `o'brien${service}@example.com`]
    const order = { ...rest, service, password, email }
    t.match((await php.run('create', order)).value, { ok: true })
    t.match(JSON.parse(faulty.heard.at(-1)!.body), { password, email })
    const reason = `Bob & Sons' "bill" is due`
    await php.run('suspend', { service, reason })
    t.strictSame(JSON.parse(faulty.heard.at(-1)!.body), { reason })
    // An account made with an apostrophe is recognised.
    t.match((await php.run('terminate', { service })).value, { ok: true })
    t.strictSame(await accountsFor(panel, order), [])
  })

  await t.test('an empty value is not sent', async t => {
    await php.run('connect', watched)
    const order = { ...newOrder(), domain: '', email: '', package: '' }
    const { value } = await php.run('create', order)
    t.match(value, { ok: false, message: 'email is required; package is required' })
    const sent = JSON.parse(faulty.heard.findLast(({ method }) => method === 'POST')!.body)
    t.notOk(Object.values(sent).includes(''))
    await php.run('setService', { service: order.service, columns: { password: '' } })
    t.match((await php.run('create', order)).value, { ok: false })
  })

  await t.test('capital letters of staff are folded', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    t.match((await php.run('create', { ...order, package: 'none' })).value, { ok: false })
    const columns = { username: ` MyShop${service}` }
    await php.run('setService', { service, columns })
    const username = `myshop${service}`
    t.match((await php.run('create', order)).value, { ok: true, username })
    await php.run('setService', { service, columns: { username: username.toUpperCase() } })
    t.match((await php.run('suspend', { service })).value, { ok: true })
    t.match(await accountOf(panel, username), { state: 'suspended' })
    await panel.pool.query(
      `insert into panel.disk_usage (account_id, bytes, measured_at)
       select id, 5 * 1048576, now() from panel.accounts
       where username = $1 on conflict (account_id) do update set bytes = excluded.bytes`,
      [username],
    )
    await php.run('usage')
    t.match((await php.run('service', { service })).value, { diskusage: 5 })
    t.match((await php.run('terminate', { service })).value, { ok: true })
    t.equal(await accountOf(panel, username), undefined)
  })

  await t.test('a profile is saved at once, also where the panel is slow', async t => {
    await php.run('connect', watched)
    const orders = Array.from({ length: 6 }, newOrder)
    for (const order of orders) {
      await php.run('create', order)
      await php.run('setService', { service: order.service, columns: { userid: 9 } })
    }
    faulty.always({ delayMs: 900 })
    const { service } = orders[0]!
    const email = `slow${service}@example.com`
    const outcome = await php.run('changeEmail', { service, email, client: 9 })
    faulty.always('pass')
    isClean(t, outcome, [panel.token])
    t.ok(outcome.ms < 5_500, '5 s at most', { ms: outcome.ms })
    t.match(outcome.logged, /has taken too long/)
    for (const { service } of orders) {
      await php.run('setService', { service, columns: { userid: 7 } })
    }
  })

  await t.test('usage reaches the services that have an account, in one call', async t => {
    const [active, suspended, gone] = [newOrder(), newOrder(), newOrder()]
    await php.run('connect', watched)
    for (const order of [active, suspended, gone]) await php.run('create', order)
    await php.run('suspend', { service: suspended.service })
    // WHMCS has ended the service although the account exists.
    const columns = { domainstatus: 'Terminated' }
    await php.run('setService', { service: gone.service, columns })
    await panel.pool.query(
      `insert into panel.disk_usage (account_id, bytes, measured_at)
       select id, 5 * 1048576 + 1, now() from panel.accounts
       on conflict (account_id) do update set bytes = excluded.bytes`,
    )
    const from = faulty.heard.length
    const outcome = await php.run('usage')
    isClean(t, outcome, [panel.token])
    t.equal(faulty.heard.length - from, 1)
    const desired = { diskusage: 6, disklimit: 1_024, bwusage: 0, bwlimit: 0, lastupdate: /^20/ }
    for (const { service } of [active, suspended]) {
      t.match((await php.run('service', { service })).value, desired)
    }
    t.match((await php.run('service', gone)).value, { diskusage: null, lastupdate: null })
  })

  await t.test('a cron job goes on when a server is not there', async t => {
    await php.run('connect', { ...server, token: 'pnl_wrong' })
    const outcome = await php.run('usage')
    isClean(t, outcome, ['pnl_wrong'])
    t.match(outcome.logged, /HTTP 401/)
  })

  await t.test('the server sync sees what there is', async t => {
    await php.run('connect', { ...server, token: otherReseller.token })
    const [order, other] = [newOrder(), newOrder()]
    const { username } = (await php.run('create', order)).value
    await php.run('create', other)
    await php.run('suspend', { service: other.service })
    const { value } = await php.run('accounts')
    t.equal(value.success, true)
    const byEmail = Object.groupBy(value.accounts as { email: string }[], ({ email }) => email)
    t.match(byEmail[order.email], [
      {
        username,
        uniqueIdentifier: username,
        domain: order.domain,
        product: 'starter',
        primaryip: '192.0.2.1',
        created: /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/,
        status: 'Active',
      },
    ])
    t.match(byEmail[other.email], [{ status: 'Suspended' }])
    const all = await panel.call('GET', '/api/v1/accounts', { token: otherReseller.token })
    t.equal(value.accounts.length, all.body.accounts.length)
  })

  await t.test('WHMCS learns what to conceal, and products of resellers are refused', async t => {
    await php.run('connect', server)
    const order = newOrder()
    await php.run('create', order)
    const { value: concealed } = await php.run('concealed')
    t.ok(concealed.includes(panel.token))
    t.ok(concealed.includes(order.password))
    const { url } = (await php.run('signOn', order)).value
    t.ok((await php.run('concealed')).value.includes(url))
    const params = { serverhostname: '127.0.0.1', serveraccesshash: 'x', producttype: '' }
    const of = (producttype: string) =>
      php.run('function', { name: 'CreateAccount', params: { ...params, producttype } })
    t.match((await of('reselleraccount')).value, /hosting accounts only/)
  })

  await t.test('the panel knows orders by their numbers', t => knowsItsOrders(t, module))

  await t.test('finds the account’s owner', t => operators(t, module))
  await t.test('pages', t => views(t, module))
})
