import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'

// Root turns mail hosting on and off; the machine gets its configuration.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const call = (...words: string[]) => callPanel(['mail', ...words], environment)
const read = (path: string) => readFileSync(join(panel.root, path), 'utf8')
const inRow = async () =>
  (await panel.pool.query('select mail from panel.server')).rows[0].mail as unknown

t.test('a panel has no mail server at first, and can turn it off again', async t => {
  t.equal(await inRow(), null)
  t.match((await call('disable', '--json')).json(), { mail: null })
  t.notOk(existsSync(join(panel.root, 'etc/postfix/main.cf')))
})

t.test('the mail server needs a name', async t => {
  for (const host of ['localhost', 'a b.example', '', 'x.example\nmynetworks = 0.0.0.0/0']) {
    const { code, stderr } = await call('enable', '--host', host)
    t.equal(code, 2, host)
    t.match(stderr, /host/)
  }
  t.equal(await inRow(), null)
})

t.test('the mail server gets no name that an account has', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: { max_mailboxes: 3 } })
  const body = { ...alice, domain: 'shop.example' }
  t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
  for (const host of ['shop.example', 'www.shop.example']) {
    const refused = await call('enable', '--host', host)
    t.match(refused, { code: 1, stderr: /account alice has the name/ }, host)
  }
  t.equal(await inRow(), null)
  t.equal((await call('enable', '--host', 'mail.shop.example')).code, 0, 'one below it is free')
  t.equal((await call('disable')).code, 0)
})

t.test('enable writes the files of all daemons, and empty look-ups', async t => {
  const done = await call('enable', '--host', 'mail.example.net', '--json')
  t.match(done, { code: 0 }, done.stderr)
  t.strictSame(done.json(), { mail: { host: 'mail.example.net' } })
  t.strictSame(await inRow(), { host: 'mail.example.net' })
  t.match(read('etc/postfix/main.cf'), /^myhostname = mail\.example\.net$/m)
  t.match(read('etc/postfix/main.cf'), /^mynetworks =$/m)
  t.match(read('etc/dovecot/dovecot.conf'), /^dovecot_config_version = 2\.4/)
  t.match(read('etc/rspamd/override.d/worker-controller.inc'), /^enabled = false;$/m)
  for (const name of ['domains', 'mailboxes', 'aliases', 'senders', 'rates', 'from-domains']) {
    t.equal(read(`etc/panel-mail/${name}`), '', name)
    t.equal(statSync(join(panel.root, 'etc/panel-mail', name)).mode & 0o777, 0o640)
  }
  t.equal(statSync(join(panel.root, 'etc/panel/tls/mail.pem')).mode & 0o777, 0o600)
})

t.test('the mail server can be renamed, and turned off', async t => {
  t.equal((await call('enable', '--host', 'mx.example.org')).code, 0)
  t.match(read('etc/postfix/main.cf'), /^myhostname = mx\.example\.org$/m)
  t.match((await call('disable', '--json')).json(), { mail: null })
  t.equal(await inRow(), null)
})
