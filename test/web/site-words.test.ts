import t from 'tap'
import { openWeb } from '../support/web/browser.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// Describes websites on pages, to their customers and to their sellers.

const { panel } = await openWeb(t)
const { pool } = panel
const admin = await signIn(panel)
const customer = await signInAs(panel, 'alice')

t.test('a website says how its certificate is doing, and what to do', async t => {
  for (const [person, path] of [
    [customer, '/account'],
    [customer, '/account/sites'],
    [customer, '/account/sites/alice.example'],
    [customer, '/account/sites/alice.example/https'],
    [admin, '/accounts/alice'],
  ] as const) {
    const { text } = await person.get(path)
    t.match(text, 'Certificates are switched off on this server', path)
    t.notMatch(text, /no certificate yet|not pointing here|not secure yet/, path)
  }
  await pool.query('update panel.server set issues_certificates = true')
  const stage = async (ssl: string, columns: string) => {
    await pool.query(`delete from panel.certificates`)
    await pool.query(`update panel.sites set ssl = $1 where domain = 'alice.example'`, [ssl])
    await pool.query(
      `insert into panel.certificates
         (site_id, due_at, error, installed_names, issuer, expires_at, renew_at)
       select id, ${columns} from panel.sites where domain = 'alice.example'`,
    )
    const pages = [
      await customer.get('/account'),
      await customer.get('/account/sites/alice.example'),
      await admin.get('/accounts/alice'),
    ]
    return pages.map(({ text }) => text)
  }
  const nothing = 'null, null, null, null'
  const elsewhere = `'alice.example points to 198.51.100.7, which is not this server'`
  for (const text of await stage('none', `now() + '4 min', ${elsewhere}, ${nothing}`)) {
    t.match(text, 'not secure yet')
    t.match(text, 'points to 198.51.100.7, which is not this server.')
    t.match(text, 'The next check is in 4 min')
  }
  const { text: own } = await customer.get('/account')
  t.match(own, 'not all websites are secure yet')
  t.match(own, 'not this server. Set its A record to 203.0.113.4')
  for (const text of await stage('none', `null, ${elsewhere}, ${nothing}`)) {
    t.match(text, 'the next check follows a change to the account')
  }
  for (const text of await stage('failed', `now() + '1 h', '/etc/secret broke', ${nothing}`)) {
    t.match(text, 'The domain points here, but got no certificate')
    t.notMatch(text, '/etc/secret', 'what the machine says is for administrators')
  }
  for (const text of await stage('pending', `now(), null, ${nothing}`)) {
    t.match(text, 'has been requested')
  }
  const served = `array['alice.example'], 'Test CA', '2031-02-04', '2031-01-04'`
  for (const text of await stage('issued', `'2031-01-04', null, ${served}`)) {
    t.match(text, 'secure until 4 Feb 2031')
  }
  const { text } = await customer.get('/account/sites/alice.example')
  t.match(text, 'Test CA')
  t.match(text, 'www.alice.example does not point here yet')
})
