import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { accountsOfOthers } from './fossbilling/accounts-of-others.ts'
import { openModule, worksAsAllDo } from './module.ts'
import { knowsItsOrders } from './references.ts'
import { withoutPhp } from './php.ts'
import { accountOf, isClean, newOrder } from './scenarios.ts'
import { openSecure } from './secure.ts'

// The server manager for FOSSBilling, as FOSSBilling calls it, against the real service.

t.test('FOSSBilling', { skip: withoutPhp }, async t => {
  const module = await openModule(t, 'fossbilling')
  const { panel, php, faulty, root, server, watched, reseller } = module
  await worksAsAllDo(t, module, { picksUsernames: false })

  await t.test('the module is the only server manager in its archive', async t => {
    const folder = join(root, 'library/Server/Manager')
    const names = await readdir(folder, { recursive: true })
    const managers = names.filter(name => name.endsWith('.php'))
    t.strictSame(managers, ['Panel.php'])
    const { fields } = (await php.run('form')).value.form.credentials
    t.match(fields, [{ name: 'accesshash', required: true, secret: true }])
    t.equal(fields.length, 1)
  })

  await t.test('a missing setting is named', async t => {
    const answered = async (options: object) => {
      const outcome = await php.run('unconfigured', { options })
      isClean(t, outcome, [])
      return outcome.value
    }
    t.match(await answered({}), [/Panel.* not fully configured.* the hostname$/, 2001])
    t.match(await answered({ host: 'panel.example' }), [/the API token$/, 2001])
    t.match(await answered({ host: ' ', ip: '', accesshash: 'x' }), [/the hostname$/, 2001])
    t.strictSame(await answered({ ip: '192.0.2.1', accesshash: 'x' }), [])
  })

  await t.test('an account with nothing in it is refused in a sentence', async t => {
    await php.run('connect', watched)
    const from = faulty.heard.length
    const methods: [method: string, values: number][] = [
      ['createAccount', 0],
      ['synchronizeAccount', 0],
      ['suspendAccount', 0],
      ['unsuspendAccount', 0],
      ['changeAccountPackage', 1],
      ['changeAccountPassword', 1],
      ['getLoginUrl', 0],
      ['getResellerLoginUrl', 0],
    ]
    for (const [method, count] of methods) {
      const outcome = await php.run('empty', { method, with: count })
      isClean(t, outcome, [panel.token])
      const message = 'This order has no username yet.'
      t.strictSame(outcome.value, { ok: false, message }, method)
    }
    t.equal(faulty.heard.length, from, 'the panel hears of none')
    // Otherwise an order that was never set up could not be removed.
    const { value } = await php.run('empty', { method: 'cancelAccount', with: 0 })
    t.match(value, { ok: true, result: true })
    t.equal(faulty.heard.length, from)
  })

  await t.test('the connection test says what to do', async t => {
    const answered = async (given: object) => {
      await php.run('connect', { ...server, ...given })
      const outcome = await php.run('test')
      isClean(t, outcome, [panel.token, 'pnl_wrong'])
      return outcome.value
    }
    t.strictSame(await answered({}), { ok: true, message: '', result: true })
    t.match(await answered({ token: reseller.token }), { ok: true })
    t.match(await answered({ token: 'pnl_wrong' }), { message: /Make a new one in the panel/ })
    t.match(await answered({ token: '' }), { message: /configure the API token/ })
    t.match(await answered({ host: 'http://panel.example' }), { message: /by https only/ })
    // Certificates are checked with any settings of the server.
    const config = { tls_verify: false }
    t.match(await answered({ isSecure: true, config }), {
      ok: false,
      message: /does not|not trusted/,
    })
  })

  await t.test('a link is made on a click, and not while a page is drawn', async t => {
    await php.run('connect', watched)
    const order = newOrder()
    const { username } = (await php.run('create', order)).value
    const from = faulty.heard.length
    const address = `http://127.0.0.1:${faulty.port}/`
    const drawn = { login: address, reseller: address, port: faulty.port }
    t.match((await php.run('addresses')).value, drawn)
    t.equal(faulty.heard.length, from, 'the panel hears nothing')
    for (const method of ['getLoginUrl', 'getResellerLoginUrl']) {
      const outcome = await php.run('call', { service: order.service, method })
      t.match(outcome.value.url, /^https:\/\/panel\.test:8443\/sso\//)
      isClean(t, outcome, [panel.token, outcome.value.url])
    }
    const path = `/api/v1/accounts/${username}`
    const paths = faulty.heard.slice(from).map(heard => heard.path)
    t.strictSame(paths, [path, `${path}/login`, path, `${path}/login`])
    await php.run('connect', { host: 'panel.example', token: 'x' })
    const elsewhere = 'https://panel.example:8443/'
    t.match((await php.run('addresses')).value, { login: elsewhere, port: 8443 })
  })

  await t.test('usernames are always the same for the same domain', async t => {
    const domains = [
      'Example.com',
      'example.com',
      'www.example.com',
      '1-2.example',
      'bücher.example',
    ]
    const named = async (config = {}) => {
      await php.run('connect', { ...server, config })
      const outcome = await php.run('usernames', { domains })
      isClean(t, outcome, [])
      return outcome.value as string[]
    }
    const names = await named()
    t.strictSame(await named(), names)
    t.equal(new Set(names).size, 3)
    t.equal(new Set(names.slice(0, 3)).size, 1)
    const prefixed = await named({ userprefix: '9My_Shop'.repeat(9) })
    for (const name of [...names, ...prefixed]) t.match(name, /^[a-z][a-z0-9]{5,31}$/)
    t.match(prefixed[0], /^myshop9myshop9my[a-z]/)
  })

  await t.test('the panel knows orders by their numbers', t =>
    knowsItsOrders(t, {
      ...module,
      change: (service, _, email) => php.run('changeEmail', { service, email }),
    }),
  )

  await t.test('other people’s accounts', t => accountsOfOthers(t, module))

  await t.test('the asterisks that stand for a password are never sent', async t => {
    await php.run('connect', watched)
    const order = newOrder()
    const { service } = order
    const from = faulty.heard.length
    await php.run('create', order)
    await php.run('suspend', { service })
    await php.run('unsuspend', { service })
    await php.run('changePackage', { service, package: 'bigger' })
    await php.run('synchronize', { service })
    await php.run('terminate', { service })
    const heard = faulty.heard.slice(from)
    t.ok(heard.length >= 6)
    t.notOk(heard.some(({ body }) => body.includes('**')))
    t.equal(JSON.parse(heard[0]!.body).password, order.password)
  })

  await t.test('a plan changed in a suspended order has to be chosen again', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    await php.run('suspend', { service })
    t.match((await php.run('changePlan', { service, package: 'bigger' })).value, { ok: true })
    t.match(await accountOf(panel, username), { state: 'suspended', package: 'starter' })
    t.match((await php.run('unsuspend', { service })).value, { ok: true })
    t.match(await accountOf(panel, username), { state: 'active', package: 'starter' })
    t.match((await php.run('changePlan', { service, package: 'bigger' })).value, { ok: true })
    t.match(await accountOf(panel, username), { state: 'active', package: 'bigger' })
  })

  await t.test('an unsupported action is refused, and nothing is sent', async t => {
    await php.run('connect', watched)
    const order = newOrder()
    const { service } = order
    await php.run('create', order)
    const from = faulty.heard.length
    const changes: [method: string, to: string, says: RegExp][] = [
      ['changeAccountUsername', 'other', /^Panel does not support changing the username/],
      ['changeAccountDomain', 'other.example', /^Panel does not support changing the domain/],
      ['changeAccountIp', '192.0.2.2', /^Panel does not support changing the IP address/],
    ]
    for (const [method, to, says] of changes) {
      const outcome = await php.run('call', { service, method, with: [to] })
      isClean(t, outcome, [])
      t.match(outcome.value, { ok: false, message: says })
    }
    const selling = await php.run('create', { ...newOrder(), reseller: true })
    t.match(selling.value, { ok: false, message: /hosting accounts only/ })
    t.equal(faulty.heard.length, from)
  })

  await t.test('a synchronization shows what there is', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    const { username } = (await php.run('create', order)).value
    const fields = { username: username.toUpperCase() }
    await php.run('set', { service, fields })
    await php.run('suspend', { service })
    const { value } = await php.run('synchronize', { service })
    t.match(value, { ok: true, isClone: true, username, ip: '192.0.2.1', isSuspended: true })
    const email = `moved${service}@example.com`
    await php.run('changeEmail', { service, email })
    t.match((await php.run('synchronize', { service })).value, { ok: true })
    t.match(await accountOf(panel, username), { email })
    await php.run('terminate', { service })
    const gone = await php.run('synchronize', { service })
    isClean(t, gone, [panel.token])
    t.match(gone.value, { ok: false, message: `The panel server has no account ${username}` })
    for (const operation of ['suspend', 'unsuspend', 'signOn']) {
      t.match((await php.run(operation, { service })).value, { ok: false, message: username })
    }
  })

  await t.test('the log has every request, and no more than may be seen', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const made = await php.run('create', order)
    isClean(t, made, [panel.token, order.password, order.email])
    t.match(made.logged, /\binfo\b[^]*Panel: POST \/api\/v1\/accounts .*HTTP 201 after [\d.]+ s$/m)
    const refused = await php.run('create', { ...newOrder(), package: 'none' })
    t.match(refused.logged, /\bnotice\b[^]*HTTP 400 after .* s \S/)
  })

  await t.test('an authority of one’s own can be trusted', async t => {
    const { port, authority } = await openSecure(t, panel.baseUrl)
    await php.run('connect', { host: 'localhost', isSecure: true, port, token: panel.token })
    t.match((await php.run('test')).value, { ok: false, message: /is not trusted/ })
    await writeFile(join(root, 'library/Server/Manager/Panel/ca.pem'), authority)
    t.match((await php.run('test')).value, { ok: true })
  })
})
