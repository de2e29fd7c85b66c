import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { readModule } from '../../billing/module.ts'
import { openModule, worksAsAllDo } from './module.ts'
import { knowsItsOrders } from './references.ts'
import { withoutPhp } from './php.ts'
import { accountOf, accountsFor, isClean, newOrder } from './scenarios.ts'
import { openSecure } from './secure.ts'
import { links } from './paymenter/links.ts'
import { buttons } from './paymenter/buttons.ts'

const unable = 'The control panel cannot do this now. Please try again later.'

// The extension for Paymenter, as Paymenter calls it, against the real service.

t.test('Paymenter', { skip: withoutPhp }, async t => {
  const module = await openModule(t, 'paymenter')
  const { panel, php, faulty, root, server, watched, reseller } = module
  await worksAsAllDo(t, module, { reason: null })

  await t.test('Paymenter learns the module’s name, and to keep the token encrypted', async t => {
    const { version } = await readModule('paymenter')
    t.match((await php.run('meta')).value, { name: 'Panel', version })
    const outcome = await php.run('config')
    isClean(t, outcome, [])
    t.match(outcome.value, [
      { name: 'host', required: true },
      { name: 'port', default: 8443 },
      { name: 'token', type: 'password', required: true, encrypted: true },
      { name: 'ca_file', required: false },
    ])
  })

  await t.test('the connection test says what to do', async t => {
    const answered = async (given: object) => {
      await php.run('connect', given)
      const outcome = await php.run('test')
      isClean(t, outcome, [panel.token, 'pnl_wrong'])
      return outcome.value
    }
    t.strictSame(await answered(server), { ok: true, message: '' })
    t.match(await answered({ ...server, token: reseller.token }), { ok: true })
    t.match(await answered({ ...server, token: 'pnl_wrong' }), {
      message: /Make a new one in the panel/,
    })
    t.match(await answered({ ...server, token: '' }), { message: /^Enter the API token/ })
    t.match(await answered({ ...server, host: '' }), {
      ok: false,
      message: /has to be a host name/,
    })
    t.match(await answered({ ...server, host: 'panel.example' }), { message: /by https only/ })
    const { port, authority } = await openSecure(t, panel.baseUrl)
    const secure = { host: 'localhost', port, token: panel.token }
    t.match(await answered(secure), { ok: false, message: /is not trusted/ })
    const caFile = join(root, 'ours.pem')
    t.match(await answered({ ...secure, caFile }), { message: /cannot be read: .*ours.pem/ })
    await writeFile(caFile, authority)
    t.match(await answered({ ...secure, caFile }), { ok: true })
    t.match(await answered({}), { ok: false, message: /./ })
  })

  await t.test('the packages on offer are those that the token may sell', async t => {
    await panel.call('PUT', '/api/v1/packages/ours-alone', { body: {} })
    const offered = async (token: string) => {
      await php.run('connect', { ...server, token })
      const outcome = await php.run('packages')
      isClean(t, outcome, [token])
      return outcome.value.field
    }
    const { type, options } = await offered(panel.token)
    t.equal(type, 'select')
    t.strictSame(Object.keys(options), ['bigger', 'ours-alone', 'starter'])
    t.equal(options.starter, 'starter (5 sites, 1 database, 1024 MB)')
    t.strictSame(Object.keys((await offered(reseller.token)).options), ['bigger', 'starter'])
    // Otherwise a product could not be edited while the panel can't be reached.
    t.match(await offered('pnl_wrong'), { name: 'package', type: 'text', description: /token/ })
  })

  await t.test('a link is made when its button is pressed, and not before', async t => {
    await php.run('connect', watched)
    const order = newOrder()
    const { username } = (await php.run('create', order)).value
    const from = faulty.heard.length
    const page = await php.run('page', order)
    isClean(t, page, [panel.token])
    t.match(page.value, [
      { type: 'button', function: 'login' },
      { type: 'button', function: 'resetPassword' },
      { type: 'text', label: 'Username', text: username },
      { type: 'text', label: 'Disk', text: /^\d+ of 1024 MB$/ },
      { type: 'text', label: 'Bandwidth this month', text: /^\d+ MB$/ },
    ])
    t.strictSame((await php.run('page', order)).value, page.value)
    const heard = faulty.heard.slice(from).map(({ method, path }) => `${method} ${path}`)
    t.equal(heard.length, 1, 'usage is asked for once')
    t.match(heard[0], /^GET \/api\/v1\/accounts\/\w+\/usage$/)
    const link = await php.run('signOn', order)
    isClean(t, link, [panel.token, link.value.url])
    t.equal(faulty.heard.length - from, 3)
    t.match(faulty.heard.at(-1)!.path, /\/login$/)
  })

  await t.test('a page is drawn without usage where the panel is away', async t => {
    await php.run('connect', watched)
    const order = newOrder()
    await php.run('create', order)
    await php.run('cache')
    await php.run('connect', { ...server, port: '1' })
    const buttons = { length: 3, 1: { function: 'resetPassword' } }
    const page = await php.run('page', order)
    isClean(t, page, [panel.token])
    t.match(page.value, buttons)
    const kept: [value: unknown, seconds: number][] = Object.values((await php.run('cache')).value)
    t.strictSame(kept, [[[], 60]], 'it is not asked again at once')
    await php.run('cache', { isAway: true })
    t.match((await php.run('page', order)).value, buttons)
    await php.run('cache')
  })

  await t.test('an order without a domain is an account without a website', async t => {
    await php.run('connect', server)
    const order = { ...newOrder(), domain: '', isOld: true }
    const made = await php.run('create', order)
    t.match(made.value, { ok: true, username: /^u[0-9a-f]{6}$/ })
    t.match(await accountOf(panel, made.value.username), { domain: null, sites: [] })
    t.equal((await php.run('create', order)).value.username, made.value.username)
    t.equal((await accountsFor(panel, order)).length, 1)
    const asked = async (settings: object) => (await php.run('checkout', { settings })).value
    const rules = ['string', 'App\\Rules\\Domain']
    t.match(await asked({}), { name: 'domain', required: true, first: 'required', rules })
    t.match(await asked({ require_domain: '1' }), { required: true })
    t.match(await asked({ require_domain: '0' }), { required: false, first: 'nullable', rules })
  })

  await t.test('the mail gets no password', async t => {
    await php.run('connect', watched)
    const order = newOrder()
    const made = await php.run('create', order)
    const { username } = made.value
    const url = `http://127.0.0.1:${faulty.port}/`
    t.strictSame((await php.run('mail')).value, { username, domain: order.domain, url })
    const { password } = JSON.parse(faulty.heard.at(-1)!.body)
    t.match(password, /^[\w-]{24}$/)
    isClean(t, made, [panel.token, password])
    const stored = (await php.run('properties', order)).value
    t.notOk(JSON.stringify(stored).includes(password))
  })

  await t.test('the package is the product’s, or an option of the order', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const { service } = order
    // Otherwise customers who send properties could take the biggest package.
    const sent = { package: 'bigger' }
    const { username } = (await php.run('create', { ...order, sent })).value
    t.match(await accountOf(panel, username), { package: 'starter' })
    await php.run('choose', { service, option: 'package', value: 'bigger' })
    t.match((await php.run('call', { service, function: 'upgradeServer' })).value, { ok: true })
    t.match(await accountOf(panel, username), { package: 'bigger' })
    await php.run('choose', { service, option: 'colour', value: 'bigger' })
    t.match((await php.run('changePackage', { service, package: 'starter' })).value, { ok: true })
    t.match(await accountOf(panel, username), { package: 'starter' })
  })

  await t.test('with nothing configured everything says so', async t => {
    await php.run('connect', { ...server, host: ' ', isSecure: true })
    const names = ['createServer', 'suspendServer', 'unsuspendServer', 'terminateServer']
    for (const name of [...names, 'upgradeServer', 'login']) {
      const outcome = await php.run('call', { service: '', function: name })
      isClean(t, outcome, [panel.token])
      const reason = 'Enter the host name of the panel server.'
      t.match(outcome.value, { ok: false, message: name === 'login' ? unable : reason }, name)
      t.match(outcome.logged, reason)
    }
    const page = await php.run('call', { service: '', function: 'getActions' })
    t.match(page.value, { ok: true, result: [] })
  })

  await t.test('the log has every request, and no more than may be seen', async t => {
    await php.run('connect', server)
    const order = newOrder()
    const made = await php.run('create', order)
    isClean(t, made, [panel.token, order.email])
    t.match(made.logged, /\binfo\b[^]*Panel: POST \/api\/v1\/accounts .*HTTP 201 after [\d.]+ s$/m)
    const refused = await php.run('create', { ...newOrder(), package: 'none' })
    t.match(refused.logged, /\bwarning\b[^]*HTTP 400 after .* s \S/)
  })

  await t.test('the panel knows orders by their numbers', t => knowsItsOrders(t, module))

  await t.test('finds the account’s owner', t => links(t, module))
  await t.test('buttons', t => buttons(t, module))
})
