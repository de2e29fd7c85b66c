import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { signInAs } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await call('PUT', '/api/v1/packages/closed', { body: { max_sites: 3, sftp: false } })
await call('POST', '/api/v1/accounts', { body: alice })
await call('POST', '/api/v1/accounts', {
  body: { ...alice, username: 'bob', domain: 'bob.example' },
})
const customer = await signInAs(panel, 'alice')
const errorIn = (text: string) => /<p class="error"[^>]*>([^]*?)<\/p>/.exec(text)?.[1] ?? ''

const fingerprint = `SHA256:${'a'.repeat(43)}`

t.test('the SFTP settings are there to copy, where the package has it', async t => {
  const { text } = await customer.get('/account/sftp')
  for (const shown of ['data-copy="panel.test"', 'data-copy="alice"']) t.match(text, shown)
  t.notMatch(text, 'Port', 'it was not read yet')
  await pool.query(
    `update panel.server_snapshot
     set taken_at = now(), took_ms = 1, content = $1`,
    [JSON.stringify({ sshPorts: [2222], hostKeys: [{ kind: 'ssh-ed25519', fingerprint }] })],
  )
  const looked = await customer.get('/account/sftp')
  for (const shown of ['data-copy="2222"', 'data-copy="sftp://alice@panel.test:2222"'])
    t.match(looked.text, shown)
  const home = await customer.get('/account')
  for (const { text } of [looked, home]) t.match(text, `data-copy="${fingerprint}"`)
  t.match(home.text, 'data-copy="2222"')
  await call('PUT', '/api/v1/accounts/alice/package', { body: { package: 'closed' } })
  const closed = await customer.get('/account/sftp')
  t.match(closed.text, 'Not in your package')
  t.notMatch(closed.text, 'data-copy="2222"')
  await call('PUT', '/api/v1/accounts/alice/package', { body: { package: 'starter' } })
})

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILHOdXbpzfrHJD14rcwvtGDHRrpn0BdjqIcErpLr07VR'
const keyFile = () => {
  const folder = join(panel.root, 'etc/panel/keys')
  return readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
}

t.test('a public key is added, shown by its fingerprint, and removed', async t => {
  const form = '/account/sftp/keys/new'
  for (const [key, sentence] of [
    ['', 'Public key is required'],
    [`command="sh" ${publicKey}`, 'must begin with ssh-ed25519'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\r\nabc', 'is a private key'],
    [`${publicKey}\r\n${publicKey}`, 'must be one line'],
  ]) {
    const { status, text } = await customer.submit(form, { publicKey: key! })
    t.equal(status, 422)
    t.equal(errorIn(text).includes(sentence!), true, errorIn(text))
    t.notMatch(text, 'BEGIN OPENSSH', 'a private key is not shown again')
  }
  const sent = { key: crypto.randomUUID() }
  const name = '<b>"me@home'
  const fields = { publicKey: `${publicKey} ${name}` }
  const twice = await Promise.all([1, 2].map(() => customer.submit(form, fields, sent)))
  for (const page of twice) t.equal(page.status, 303)
  await until(() => keyFile().length > 0)
  t.strictSame(keyFile(), [`${publicKey}\n`])
  const { text } = await customer.get('/account/sftp')
  t.match(text, 'SHA256:1FB1h9r8DD14AoxXZAFUCynNjlUpENi+gT3fIk7H51Y')
  t.match(text, '&lt;b&gt;&quot;me@home')
  const again = await customer.submit(form, fields)
  t.equal(again.status, 422)
  t.match(again.text, /publicKey-error">The account already has this key</)

  const other = await signInAs(panel, 'bob')
  const [, remove = ''] = /href="(\/account\/sftp\/keys\/[0-9]+\/remove)"/.exec(text) ?? []
  t.equal((await other.submit(remove, {})).status, 404)
  t.match((await customer.get(remove)).text, 'SHA256:')
  t.equal((await customer.submit(remove, {})).headers.location, '/account/sftp')
  t.strictSame(keyFile(), [])
  t.match((await customer.get('/account/sftp')).text, 'No keys yet')
  t.match((await customer.get('/account/history')).text, 'Remove SFTP key')
})
