import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeAuthority, makeKeys, toPem } from '../support/authority.ts'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { fewCases, operations, withstands } from './faults.ts'
import { openFaulty, refusal } from './faulty.ts'
import { startPhp, withoutPhp, type Php } from './php.ts'
import { accountsFor, isClean, livesItsLife, newOrder, sellPackages } from './scenarios.ts'

// The code that all modules share, against the real service.

t.test('the shared classes', { skip: withoutPhp }, async t => {
  const panel = await openPanel(t)
  const { token } = panel
  await sellPackages(panel)
  const { port } = new URL(panel.baseUrl)
  const php = startPhp(t, { operations: 'shared/operations.php' })
  const direct = { host: '127.0.0.1', isSecure: false, port, token }

  const faulty = await openFaulty(t, panel.baseUrl)

  await t.test('an order lives its life', async t => {
    await php.run('connect', direct)
    await livesItsLife(t, { panel, php }, newOrder())
  })

  await t.test('an account is made once, whatever happens', async t => {
    await php.run('connect', { ...direct, port: faulty.port })
    const create = operations.find(({ name }) => name === 'create')!
    for (const each of fewCases) await withstands(t, { panel, php, faulty }, create, each)
  })

  await t.test("only the panel's own server is trusted", async t => {
    const folder = await mkdtemp(join(tmpdir(), 'panel-ca-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const [ours, other] = [await makeAuthority(), await makeAuthority('CN=Other')]
    const keys = await makeKeys()
    const caFile = join(folder, 'ours.pem')
    await writeFile(caFile, ours.certificate)
    const key = await toPem(keys)
    const serve = async (authority: typeof ours, name: string) => {
      const cert = await authority.sign(keys.publicKey, { names: [name] })
      return openFaulty(t, panel.baseUrl, { key, cert })
    }
    const secure = { host: 'localhost', token, isSecure: true, caFile }

    const right = await serve(ours, 'localhost')
    await php.run('connect', { ...secure, port: right.port })
    t.match((await php.run('test')).value, { ok: true })
    for (const wrong of [await serve(other, 'localhost'), await serve(ours, 'other.example')]) {
      await php.run('connect', { ...secure, port: wrong.port })
      const outcome = await php.run('test')
      t.match(outcome.value, { ok: false, message: /certificate of the panel server is not/ })
      isClean(t, outcome, [token])
      t.strictSame(wrong.heard, [])
    }
    // The system's certificates don't include ours.
    await php.run('connect', { ...secure, caFile: '', port: right.port })
    t.match((await php.run('test')).value, { ok: false, message: /is not trusted/ })
    t.equal(right.heard.length, 1)
  })

  await t.test('an answer may come in pieces', async t => {
    const packages = Array.from({ length: 5_000 }, (_, number) => ({
      name: `package${number}`,
      max_sites: 1,
      max_databases: 1,
      disk_mb: number,
    }))
    const body = JSON.stringify({ packages })
    const headers = { 'transfer-encoding': 'chunked' }
    const pieces = await openFaulty(t, panel.baseUrl)
    pieces.always({ instead: { status: 200, headers, body } })
    await php.run('connect', { ...direct, port: pieces.port })
    const { value } = await php.run('packages')
    t.strictSame(
      value.packages,
      packages.map(({ name }) => name),
    )
  })

  await t.test('a server that says nothing is waited for only so long', async t => {
    const slow = await openFaulty(t, panel.baseUrl)
    slow.always('silent')
    await php.run('connect', { ...direct, port: slow.port, seconds: 1.5 })
    const outcome = await php.run('test')
    t.match(outcome.value, { ok: false, message: /^The panel server does not answer: / })
    await php.run('connect', { ...direct, port: slow.port, seconds: 2 })
    const create = await php.run('create', newOrder())
    t.match(create.value, { ok: false, message: /does not answer/ })
    const asked = slow.heard.map(({ method }) => method)
    t.strictSame(asked, ['GET', 'GET'], 'one try each, and nothing is made')
    t.ok(create.ms < 2_100, 'in the same time', { ms: create.ms })
    await php.run('connect', { ...direct, port: 1, seconds: 1.5 })
    t.match((await php.run('test')).value, { ok: false, message: /does not answer: .*connect/i })
  })

  await t.test('a username of another account is not used', async t => {
    const reseller = await makeReseller(panel.pool, 'seller')
    await sellPackages(panel, reseller.token)
    await php.run('connect', { ...direct, token: reseller.token })
    const order = newOrder()
    const theirs = { ...newOrder(), username: 'shared', domain: '' }
    const { service: _, ...body } = { ...theirs, domain: 'shared.example' }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
    const made = await php.run('create', { ...order, username: theirs.username })
    t.match(made.value, { ok: true, username: /^shop\d*[0-9a-f]{6}$/ })
    // An account with the same e-mail address and package is still not this order's.
    t.strictSame(await accountsFor(panel, theirs), [theirs.username])
    t.strictSame(await accountsFor(panel, order), [made.value.username])
    const again = await php.run('create', { ...order, username: theirs.username })
    t.equal(again.value.username, made.value.username)
    t.strictSame((await php.run('packages')).value.packages, ['bigger', 'starter'])
    t.strictSame(Object.keys((await php.run('usage')).value.usage), [made.value.username])
    t.equal((await php.run('accounts')).value.accounts.length, 1)
  })

  await t.test('an account without a domain is made, and only once', async t => {
    await php.run('connect', direct)
    const order = { ...newOrder(), domain: '' }
    const made = await php.run('create', order)
    t.match(made.value, { ok: true, username: /^u[0-9a-f]{6}$/ })
    t.equal((await php.run('create', order)).value.username, made.value.username)
    t.strictSame(await accountsFor(panel, order), [made.value.username])
  })

  await t.test('an order that is made twice at once has one account', async t => {
    const processes = [1, 2, 3].map(() => startPhp(t, { operations: 'shared/operations.php' }))
    const order = newOrder()
    const all = processes.map(async each => {
      await each.run('connect', direct)
      return (await each.run('create', order)).value
    })
    const made = await Promise.all(all)
    const accounts = await accountsFor(panel, order)
    t.equal(accounts.length, 1)
    for (const each of made) t.match(each, { ok: true, username: accounts[0] })
  })

  await t.test('a name that the server itself has, or keeps, is left to it', async t => {
    await php.run('connect', direct)
    await appendFile(join(panel.root, 'etc/passwd'), 'machine:x:1000:1000::/:/bin/sh\n')
    for (const username of ['machine', 'postgres']) {
      const { value } = await php.run('create', { ...newOrder(), domain: '', username })
      t.match(value, { ok: true, username: /^u[0-9a-f]{6}$/ }, username)
    }
  })

  await t.test('an account that was made is found although all else failed', async t => {
    const faulty = await openFaulty(t, panel.baseUrl)
    await php.run('connect', { ...direct, port: faulty.port })
    const order = newOrder()
    faulty.next('lost', { instead: refusal(429, 'Too many requests') })
    t.match((await php.run('create', order)).value, { ok: true })
    t.equal((await accountsFor(panel, order)).length, 1)
  })

  await t.test('a server that answers success to everything is no panel', async t => {
    const faulty = await openFaulty(t, panel.baseUrl)
    await php.run('connect', { ...direct, port: faulty.port })
    const order = newOrder()
    const { service } = order
    t.match((await php.run('create', order)).value, { ok: true })
    const lists = { packages: [null], accounts: [{}], usage: ['x'], username: 5 }
    const other = { username: 'another', email: order.email, package: 'starter', state: 'active' }
    for (const response of [{}, { status: 'ok' }, { error: 5 }, lists, other]) {
      faulty.always({ instead: { status: 200, body: JSON.stringify(response) } })
      for (const { name, values } of operations) {
        const outcome = await php.run(name, { service, ...values(order) })
        isClean(t, outcome, [token])
        const message = name === 'signOn' ? /no sign-on link/ : /not a panel/
        t.match(outcome.value, { ok: false, message }, `${name}: ${JSON.stringify(response)}`)
      }
      for (const name of ['test', 'packages', 'usage', 'accounts']) {
        const outcome = await php.run(name)
        isClean(t, outcome, [token])
        t.match(outcome.value, { ok: false, message: /not a panel/ }, name)
      }
    }
  })

  await t.test('a PHP without curl is reported', async t => {
    const forbidden = { settings: ['-d', 'disable_functions=curl_exec'] }
    for (const lack of [forbidden, { lacksCurl: true } as const]) {
      const php = startPhp(t, { operations: 'shared/operations.php', ...lack })
      await php.run('connect', direct)
      const outcome = await php.run('test')
      t.match(outcome.value, { ok: false, message: /^PHP has no curl here: install/ })
      isClean(t, outcome, [token])
    }
  })

  await t.test('an expired token is distinguished from other failures', async t => {
    await php.run('connect', { ...direct, token: 'pnl_gone' })
    t.match((await php.run('test')).value, { ok: false, message: /does not accept the API token/ })
    await php.run('connect', { ...direct, token: '' })
    t.match((await php.run('test')).value, { ok: false, message: /^Enter the API token/ })
  })

  await t.test('a domain is written as the panel does', async t => {
    for (const entered of ['shop.example', ' WWW.Shop.Example. ', 'https://shop.example/a?b#c']) {
      t.equal((await php.run('domain', { entered })).value, 'shop.example', entered)
    }
    t.equal((await php.run('domain', { entered: '' })).value, '')
  })

  await t.test('usernames are names for the panel, and the same for the same order', async t => {
    const of = async (domain: string, service: string, given = '') =>
      (await php.run('usernames', { domain, service, given })).value as string[]
    for (const domain of ['shop.example', '1-2-3.example', 'xn--bcher-kva.example', '', '9.9']) {
      const names = await of(domain, '12')
      t.equal(new Set(names).size, 5, 'five attempts')
      for (const name of names) t.match(name, /^[a-z][a-z0-9]{6,13}$/)
      t.strictSame(await of(domain, '12'), names)
      t.notSame(await of(domain, '13'), names)
    }
    t.equal((await of('shop.example', '12', 'chosen'))[0], 'chosen')
    for (const bad of ['Chosen', '1st', 'a b', '-a', 'a\n', '../x', 'a'.repeat(33)]) {
      t.notOk((await of('shop.example', '12', bad)).includes(bad), bad)
    }
  })

  await t.test('a secret is concealed in every form', async t => {
    const secret = `a/b&"'ä <+%`
    const forms = [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams([['', secret]]).toString().slice(1),
      JSON.stringify(secret),
      JSON.stringify(secret).replaceAll('/', '\\/').replaceAll('ä', '\\u00e4'),
      'a/b&amp;&quot;&#039;ä &lt;+%',
    ]
    for (const form of forms) {
      const { value } = await php.run('conceal', { secret, text: `<${form}>` })
      t.match(value, /^<"?\*\*\*"?>$/, form)
    }
  })

  await t.test('an address is what it looks like', t => addresses(php, t))
})

async function addresses(php: Php, t: Test): Promise<void> {
  const address = async (entered: string, port = '', isSecure = false) => {
    const { value, thrown } = await php.run('address', { entered, port, isSecure })
    return value ?? thrown
  }
  t.strictSame(await address('Panel.Example'), [true, 'panel.example:8443'])
  t.strictSame(await address('panel.example', '9443'), [true, 'panel.example:9443'])
  t.strictSame(await address('https://panel.example:1/'), [true, 'panel.example:1'])
  t.strictSame(await address('2001:db8::1'), [true, '[2001:db8::1]:8443'])
  t.strictSame(await address('[2001:db8::1]:1'), [true, '[2001:db8::1]:1'])
  t.strictSame(await address('127.0.0.1'), [false, '127.0.0.1:8443'])
  t.strictSame(await address('127.0.0.1', '', true), [true, '127.0.0.1:8443'])
  t.strictSame(await address('https://localhost'), [true, 'localhost:8443'])
  t.match(await address('http://panel.example'), /by https only/)
  t.match(await address('127.0.0.1.example'), [true])
  for (const bad of ['', 'a b', 'https://u:p@h', 'h/x', 'h\r\nX: y', 'ftp://h', 'h?x', 'h:99999']) {
    t.type(await address(bad), 'string', JSON.stringify(bad))
  }
}
