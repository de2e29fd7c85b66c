import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { signInAs } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { call, pool } = panel
const limits = { max_sites: 2, max_databases: 1, disk_mb: 100 }
await call('PUT', '/api/v1/packages/starter', { body: limits })
await call('POST', '/api/v1/accounts', { body: alice })
const customer = await signInAs(panel, 'alice')
const home = async () => (await customer.get('/account')).text

t.test('a new account shows what to do next', async t => {
  t.notMatch(await home(), 'Point your domain here', 'there are no certificates')
  await pool.query(`select panel.set_issuing(true, '{}')`)
  const text = await home()
  t.match(text, /First steps.*Point your domain here.*Upload your files.*Create a database/s)
  t.match(text, /class="done">.*Add a website<span class="hidden">, done/s)
  t.match(text, 'href="/account/databases/new"')
  await pool.query(`select panel.set_issuing(false, '{}')`)
  await pool.query(`update panel.sites set desired = 'absent'`)
  await pool.query(`delete from panel.sites`)
  t.match(await home(), /no website yet.*href="\/account\/sites\/new"/s)
})

t.test('limits that are reached look reached', async t => {
  await pool.query(
    `insert into panel.disk_usage (account_id, bytes, measured_at)
     select id, 104857600, now() from panel.accounts`,
  )
  await pool.query(
    `insert into panel.databases (account_id, name, desired)
     select id, username || '_shop', 'present' from panel.accounts`,
  )
  const text = await home()
  t.match(text, /class="meter full reached">\s*<span>100 MB of 100 MB, full</)
  t.match(text, /class="meter high reached">\s*<span>1 of 1, none left</)
  t.match(text, 'data-copy="localhost"')
  t.match(text, 'href="/account/databases/alice_shop"')
})
