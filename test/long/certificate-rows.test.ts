import t from 'tap'
import { openPool } from '../../src/db.ts'
import * as certificates from '../../src/model/certificates/certificates.ts'
import { courierOn } from '../support/courier.ts'
import { openPanel } from '../support/panel.ts'
import { barrier, until } from '../support/until.ts'
import { certificatesOf, makeWorld } from '../support/certificates/world.ts'

// The rules of the rows: when an attempt is due, who may record it, and how many there may be.

const panel = await openPanel(t)
const { pool } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
const { create, find, untilSsl, hasten } = certificatesOf(panel)
const courier = openPool(panel.databaseUrl, 'panel_courier', 2)
t.teardown(() => courier.end())

t.test('a server without an authority sends no request', async t => {
  const { body } = await create('alice')
  t.strictSame(body.sites, [{ domain: 'alice.example', ssl: 'none' }])
  const { rows } = await pool.query('select from panel.certificates')
  t.equal(rows.length, 0)
})

t.test(
  'where it begins to get certificates, the websites that are there already are due',
  async t => {
    await pool.query(`select panel.set_issuing(true, '{}')`)
    await pool.query(`select panel.set_issuing(true, '{}')`)
    const { site_id } = await find('alice.example')
    await pool.query('select panel.sweep()')
    const { rows } = await pool.query(`select payload from courier_queue._private_jobs`)
    t.strictSame(rows, [{ payload: { siteId: site_id } }])
  },
)

t.test('a server whose certificates are switched off orders nothing more', async t => {
  await pool.query(`select panel.set_issuing(false, '{}')`)
  const { site_id } = await find('alice.example')
  t.equal(await certificates.startOrder(courier, site_id), undefined)
  await pool.query(`select panel.set_issuing(true, '{}')`)
})

t.test('attempts that come to nothing are repeated ever more rarely, for a week', async t => {
  const pauses = async (isServed: boolean) => {
    const { rows } = await pool.query(
      `select panel.certificate_pause(n, $1)::text as pause from generate_series(1, 13) n
       order by n`,
      [isServed],
    )
    return rows.map(({ pause }) => pause)
  }
  const first = ['00:05:00', '00:15:00', '01:00:00', '06:00:00']
  t.strictSame(await pauses(false), [...first, ...Array<string>(7).fill('1 day'), null, null])
  t.strictSame(await pauses(true), [...first, ...Array<string>(9).fill('1 day')])
})

t.test('a start makes earlier ones too late, and nothing is started before it is due', async t => {
  const { site_id } = await find('alice.example')
  const early = await certificates.startOrder(courier, site_id)
  const late = await certificates.startOrder(courier, site_id)
  t.ok(early !== undefined && late !== undefined && late.epoch > early.epoch)
  await certificates.postpone(courier, early!, 'order', 'failed', 'too late')
  await certificates.askForRequest(courier, early!, ['alice.example'])
  await certificates.recordOrder(courier, early!, 'x')
  t.match(await find('alice.example'), { step: 'order', attempts: 0, error: null })
  await certificates.postpone(courier, late!, 'order', 'none', 'in time')
  t.match(await find('alice.example'), {
    step: 'order',
    attempts: 1,
    error: 'in time',
    ssl: 'none',
  })
  await certificates.postpone(courier, late!, 'order', 'none', 'twice')
  t.match(await find('alice.example'), { attempts: 1, error: 'in time' })
  t.equal(await certificates.startOrder(courier, site_id), undefined)
})

t.test(
  'a name that was given up is looked at again after the account’s next operation',
  async t => {
    await hasten('alice', 'due_at = null, attempts = 12')
    t.match(await find('alice.example'), { due_at: null })
    await panel.call('PUT', '/api/v1/accounts/alice/password', {
      body: { password: 'another battery' },
    })
    t.match(await find('alice.example'), { attempts: 0 })
    t.not((await find('alice.example')).due_at, null)
  },
)

t.test('an authority is asked for so many in 3 hours, and for half as many renewals', async t => {
  await create('bob')
  const { site_id } = await find('bob.example')
  // Enough websites of one account; only their certificates count.
  await pool.query(`
    with fillers as (
      insert into panel.sites (account_id, domain)
      select (select account_id from panel.sites where domain = 'bob.example'), 'filler' || n
      from generate_series(1, 125) n
      returning id)
    insert into panel.certificates (site_id, due_at, ordered_at)
    select id, null, now() from fillers`)
  await pool.query(`update panel.certificates set request = 'x' where site_id = $1`, [site_id])
  t.ok(await certificates.startOrder(courier, site_id), 'a first one')
  await pool.query(
    `update panel.certificates
     set installed_names = '{bob.example}', issuer = 'x', renew_at = now(), ordered_at = null,
       expires_at = now() + interval '30 days'
     where site_id = $1`,
    [site_id],
  )
  t.equal(await certificates.startOrder(courier, site_id), undefined, 'a renewal')
  const { rows } = await pool.query(
    `select due_at > now() + interval '4 minutes' as "isLater" from panel.certificates
     where site_id = $1`,
    [site_id],
  )
  t.ok(rows[0].isLater)
  await pool.query(`delete from panel.sites where domain like 'filler%'`)
})

t.test('several couriers order each certificate once', async t => {
  const world = await makeWorld()
  const others = [
    await courierOn(t, panel.databaseUrl, { authority: world }),
    await courierOn(t, panel.databaseUrl, { authority: world }),
  ]
  const names = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']
  for (const name of names) world.pointing.add(`${name}.example`)
  await Promise.all(names.map(name => create(name)))
  for (const name of names) await untilSsl(name, 'issued')
  t.equal(world.asked.length, names.length)
  const { rows } = await pool.query('select from panel.acme_account')
  t.equal(rows.length, 1)
  await Promise.all(others.map(({ stop }) => stop()))
})

t.test('a courier that stops waits for no authority, and the next one orders again', async t => {
  const stuck = barrier()
  const world = await makeWorld()
  const { sign } = world
  world.sign = async request => {
    await stuck.pass()
    return sign(request)
  }
  world.pointing.add('g1.example')
  const slow = await courierOn(t, panel.databaseUrl, { authority: world })
  await create('g1')
  await stuck.stopped
  await slow.stop()
  world.sign = sign
  const next = await courierOn(t, panel.databaseUrl, { authority: world })
  await untilSsl('g1', 'issued')
  t.equal(world.asked.length, 2)
  stuck.open()
  await next.stop()
})

t.test('an abandoned step is taken up by the sweeper', async t => {
  const world = await makeWorld()
  world.pointing.add('f1.example')
  await create('f1')
  // Row and job are written in one transaction, so only a manual delete can part them.
  await pool.query('delete from courier_queue._private_jobs')
  await courierOn(t, panel.databaseUrl, { authority: world })
  const { site_id } = await untilSsl('f1', 'issued')
  await pool.query(
    `update panel.certificates set step = 'request', due_at = now() where site_id = $1`,
    [site_id],
  )
  await until(async () => (await find('f1.example')).step === 'order')
  t.equal((await find('f1.example')).ssl, 'issued')
})
