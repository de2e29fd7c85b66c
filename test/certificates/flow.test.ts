import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { courierOn } from '../support/courier.ts'
import { openPanel } from '../support/panel.ts'
import { barrier, until } from '../support/until.ts'
import { signInAs } from '../support/web/signed-in.ts'
import { certificatesOf, makeWorld } from '../support/certificates/world.ts'

const panel = await openPanel(t)
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.pool.query(`select panel.set_issuing(true, '{}')`)
const world = await makeWorld()
await courierOn(t, panel.databaseUrl, { authority: world })
const { create, find, untilSsl, hasten, events } = certificatesOf(panel)
const minute = 60_000
const inMs = (interval: { minutes?: number; hours?: number; days?: number; seconds?: number }) =>
  (((interval.days ?? 0) * 24 + (interval.hours ?? 0)) * 60 + (interval.minutes ?? 0)) * minute +
  (interval.seconds ?? 0) * 1000
const dueIn = async (username: string) => inMs((await find(`${username}.example`)).due_in)
const folderOf = (siteId: string) => join(panel.root, 'var/lib/panel/certificates', siteId)
const web = join(panel.root, 'var/lib/panel/web')
const proves = (domain: string) => existsSync(join(web, 'tls', domain))

t.test(
  'a name that points here has its certificate soon, and the create does not wait',
  async t => {
    const { pass, stopped, open } = barrier()
    const { sign } = world
    world.sign = async request => {
      await pass()
      return sign(request)
    }
    for (const name of ['alice.example', 'www.alice.example']) world.pointing.add(name)
    const created = await create('alice')
    t.match(created, { status: 201, body: { sites: [{ ssl: 'none' }] } })
    await stopped
    t.ok(await untilSsl('alice', 'pending'))
    t.strictSame(await events('alice'), [])
    open()
    const { expires_at, installed_names } = await untilSsl('alice', 'issued')
    t.strictSame(installed_names, ['alice.example', 'www.alice.example'])
    t.ok(proves('alice.example'))
    t.strictSame(await events('alice'), [
      {
        username: 'alice',
        domain: 'alice.example',
        expires_at: expires_at.toISOString(),
        issuer: 'Test Authority',
      },
    ])
    world.sign = sign
  },
)

t.test('a certificate is renewed at about two thirds of its life', async t => {
  const { renew_at, expires_at, due_at } = await find('alice.example')
  t.strictSame(due_at, renew_at)
  // One of 90 days is over.
  const days = (expires_at - renew_at) / (24 * 60 * minute)
  t.ok(days > 27 && days < 33, `${days} days before`)
})

t.test('renewed, it is another certificate with an event of its own', async t => {
  const before = await find('alice.example')
  const file = () => readFileSync(join(folderOf(before.site_id), 'served.pem'), 'utf8')
  const old = file()
  await hasten('alice', 'due_at = now(), renew_at = now()')
  await until(async () => (await events('alice')).length === 2)
  t.not(file(), old)
  t.equal((await find('alice.example')).ssl, 'issued')
  t.ok((await dueIn('alice')) > 50 * 24 * 60 * minute)
})

t.test('a renewal that fails leaves the old one, and is tried again', async t => {
  const { sign } = world
  const { site_id } = await find('alice.example')
  const old = readFileSync(join(folderOf(site_id), 'served.pem'), 'utf8')
  world.sign = () => Promise.reject(new Error('The authority is out of order'))
  await hasten('alice', 'due_at = now(), renew_at = now()')
  const failed = await until(async () => {
    const row = await find('alice.example')
    return row.error !== null && row
  })
  t.match(failed, { ssl: 'issued', error: 'The authority is out of order', attempts: 1 })
  t.ok(Math.abs((await dueIn('alice')) - 5 * minute) < minute)
  t.equal(readFileSync(join(folderOf(site_id), 'served.pem'), 'utf8'), old)
  t.equal(readFileSync(join(web, 'tls/alice.example'), 'utf8'), old)
  world.sign = sign
  await hasten('alice')
  await until(async () => (await events('alice')).length === 3)
  t.match(await find('alice.example'), { ssl: 'issued', error: null, attempts: 0 })
})

t.test('a certificate that is not renewed before its end has failed', async t => {
  const { sign } = world
  world.sign = () => Promise.reject(new Error('still out of order'))
  const past = `due_at = now(), renew_at = now() - interval '1 day', expires_at = now()`
  await hasten('alice', past)
  t.match(await untilSsl('alice', 'failed'), { error: 'still out of order' })
  world.sign = sign
  await hasten('alice')
  await untilSsl('alice', 'issued')
})

t.test('a name that points elsewhere has none, and later one without hands', async t => {
  await create('bob')
  const waiting = await until(async () => {
    const row = await find('bob.example')
    return row.error !== null && row
  })
  t.match(waiting, { ssl: 'none', error: 'bob.example has no address', attempts: 1, request: null })
  t.ok(Math.abs((await dueIn('bob')) - 5 * minute) < minute)
  t.notOk(existsSync(folderOf(waiting.site_id)), 'no key for it')
  await hasten('bob')
  await until(async () => (await find('bob.example')).attempts === 2)
  t.ok(Math.abs((await dueIn('bob')) - 15 * minute) < minute)
  world.pointing.add('bob.example')
  await hasten('bob')
  const { installed_names } = await untilSsl('bob', 'issued')
  t.strictSame(installed_names, ['bob.example'])
})

t.test('new records are checked at once, without one order after another', async t => {
  await create('dora')
  const first = await until(async () => {
    const found = await find('dora.example')
    return found.error !== null && found
  })
  const customer = await signInAs(panel, 'dora')
  const path = '/account/sites/dora.example'
  t.match((await customer.get(path)).text, 'Check again now')
  t.equal((await customer.submit(`${path}/recheck`)).headers.location, path)
  const row = await until(async () => {
    const found = await find('dora.example')
    return found.epoch > first.epoch && found.due_in.minutes > 0 && found
  })
  t.match(row, { attempts: 1, ssl: 'none' }, 'it counts again')
  world.pointing.add('dora.example')
  const { code } = await callPanel(['site', 'recheck', 'dora', 'dora.example'], {
    DATABASE_URL: panel.databaseUrl,
    PANEL_STATE_DIR: dirname(panel.root),
  })
  t.equal(code, 0)
  await untilSsl('dora', 'issued')
  const refused = await customer.submit(`${path}/recheck`)
  t.equal(refused.status, 422)
  t.match(refused.text, 'less than 20 minutes ago')
  t.equal((await customer.submit('/account/sites/bob.example/recheck')).status, 404)
})

t.test('`www.` joins when it points here too', async t => {
  t.ok((await dueIn('bob')) < 6 * minute, 'it is looked for')
  await hasten('bob')
  await until(async () => (await find('bob.example')).attempts === 1)
  t.strictSame((await find('bob.example')).installed_names, ['bob.example'])
  const { length } = world.asked
  world.pointing.add('www.bob.example')
  await hasten('bob')
  const both = ['bob.example', 'www.bob.example']
  await until(async () => (await find('bob.example')).installed_names.join() === both.join())
  t.equal(world.asked.length, length + 1)
  t.equal((await events('bob')).length, 2)
  t.ok((await dueIn('bob')) > 50 * 24 * 60 * minute)
})

t.test('`www.` is left out where it is not served', async t => {
  for (const name of ['erin.example', 'www.erin.example']) world.pointing.add(name)
  const { sign } = world
  const { pass, stopped, open } = barrier()
  world.sign = async request => {
    await pass()
    throw new Error(`too late for ${request.length}`)
  }
  await create('erin')
  await stopped
  const words = ['site', 'set', 'erin', 'erin.example', '--www', 'off']
  const { code } = await callPanel(words, {
    DATABASE_URL: panel.databaseUrl,
    PANEL_STATE_DIR: dirname(panel.root),
  })
  t.equal(code, 0)
  world.sign = sign
  open()
  await untilSsl('erin', 'failed')
  await hasten('erin')
  t.strictSame((await untilSsl('erin', 'issued')).installed_names, ['erin.example'])
})

t.test('a certificate for another key is not served', async t => {
  world.pointing.add('carol.example')
  const [stolen = ''] = world.asked
  const { sign } = world
  world.sign = () => sign(stolen)
  await create('carol')
  const refused = await untilSsl('carol', 'failed')
  t.match(refused, { error: 'The certificate is for another key', installed_names: null })
  t.notOk(proves('carol.example'))
  t.strictSame(await events('carol'), [])
  world.sign = sign
  await hasten('carol')
  await untilSsl('carol', 'issued')
})

t.test('a suspended account’s certificate is renewed, and it stays suspended', async t => {
  await panel.call('POST', '/api/v1/accounts/carol/suspend')
  await hasten('carol', 'due_at = now(), renew_at = now()')
  await until(async () => (await events('carol')).length === 2)
  const { body } = await panel.call('GET', '/api/v1/accounts/carol')
  t.match(body, { state: 'suspended', sites: [{ ssl: 'issued' }] })
  const site = String((await find('carol.example')).site_id).padStart(10, '0')
  t.match(readlinkSync(join(web, 'sites', site)), /suspended/)
})

t.test('a certificate that the machine has lost is ordered again', async t => {
  const { site_id, installed_names } = await find('bob.example')
  const { rows } = await panel.pool.query(
    'select array_agg(site_id) as others from panel.certificates where site_id <> $1',
    [site_id],
  )
  rmSync(folderOf(site_id), { recursive: true })
  await panel.pool.query('select panel.set_issuing(true, $1)', [rows[0].others])
  t.match(await find('bob.example'), { ssl: 'none', installed_names: null })
  t.match(await find('alice.example'), { ssl: 'issued' })
  await panel.pool.query('select panel.sweep()')
  t.strictSame((await untilSsl('bob', 'issued')).installed_names, installed_names)
  t.ok(existsSync(join(folderOf(site_id), 'served.pem')))
})

t.test('a website that is gone meanwhile gets none, and leaves no key', async t => {
  const { pass, stopped, open } = barrier()
  const { sign } = world
  world.sign = async request => {
    await pass()
    return sign(request)
  }
  world.pointing.add('dave.example')
  await create('dave')
  await stopped
  const { site_id } = await find('dave.example')
  t.ok(existsSync(join(folderOf(site_id), 'request.key')))
  const gone = await panel.call('DELETE', '/api/v1/accounts/dave')
  t.equal(gone.status, 200)
  t.notOk(existsSync(folderOf(site_id)))
  open()
  world.sign = sign
  await until(async () => {
    const { rows } = await panel.pool.query(`select from courier_queue.jobs`)
    return rows.length === 0
  })
  t.strictSame(await events('dave'), [])
  t.notOk(readdirSync(join(panel.root, 'var/lib/panel/certificates')).includes(site_id))
})

t.test('an account that ends before its certificate’s turn gets none either', async t => {
  world.pointing.add('erin.example')
  await create('erin')
  const { site_id } = await untilSsl('erin', 'issued')
  const { rows } = await panel.pool.query('select account_id from panel.sites where id = $1', [
    site_id,
  ])
  await panel.call('DELETE', '/api/v1/accounts/erin')
  await panel.pool.query(`select panel.begin_certificate($1, 'certificate/install')`, [
    rows[0].account_id,
  ])
  await until(async () => {
    const { rows } = await panel.pool.query(
      `select from panel.operations where state not in ('done', 'failed')`,
    )
    return rows.length === 0
  })
  t.equal((await events('erin')).length, 1)
  t.notOk(existsSync(folderOf(site_id)))
})
