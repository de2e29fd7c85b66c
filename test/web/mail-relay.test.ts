import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { signIn } from '../support/web/signed-in.ts'

// Administrators set and remove the mail relay on a page.

const panel = await openPanel(t)
await makeReseller(panel.pool, 'rita')
const admin = await signIn(panel)
const path = '/server/settings/mail-relay'
const file = join(panel.root, 'etc/panel/mail/relay')
const whole = {
  ...{ host: 'smtp.example.com', port: '587', tls: 'starttls', user: 'me' },
  ...{ password: 'correct "horse"', from_domain: 'example.net' },
}

t.test('a relay is set, shown without its password, and changed with it', async t => {
  t.match((await admin.get('/server/settings')).text, 'There is no relay')
  const sent = await admin.submit(path, whole)
  t.match(sent, { status: 303, headers: { location: '/server/settings' } })
  t.match(readFileSync(file, 'utf8'), 'host smtp.example.com\nport 587\n')
  t.equal(readFileSync(`${file}-password`, 'utf8'), `${whole.password}\n`)
  for (const address of ['/server/settings', path, '/history', '/jobs']) {
    const { text } = await admin.get(address)
    t.notMatch(text, /correct (&quot;|")horse/, address)
  }
  const { text } = await admin.get(path)
  t.match(text, 'value="smtp.example.com"')
  t.match(text, / --tls starttls --user me --password-stdin --from-domain example\.net</)
  t.equal((await admin.submit(path, { ...whole, password: '', port: '2525' })).status, 303)
  t.match(readFileSync(file, 'utf8'), 'port 2525')
  t.equal(readFileSync(`${file}-password`, 'utf8'), `${whole.password}\n`)
})

t.test('each wrong value is named next to its field, and no password comes back', async t => {
  const before = readFileSync(file, 'utf8')
  for (const [field, changes] of [
    ['host', { host: '' }],
    ['host', { host: 'a b' }],
    ['host', { host: '<script>alert(1)</script>' }],
    ['host', { host: 'x'.repeat(5_000) }],
    ['port', { port: '0' }],
    ['port', { port: 'smtp' }],
    ['tls', { tls: 'off' }],
    ['tls', { tls: 'none' }],
    ['user', { user: 'a"b' }],
    ['password', { password: '', host: 'evil.example.com' }],
    ['password', { password: 'x'.repeat(257) }],
    ['from_domain', { from_domain: 'localhost' }],
  ] as const) {
    const sent = await admin.submit(path, { ...whole, ...changes })
    t.equal(sent.status, 422, JSON.stringify(changes))
    t.match(sent.text, `id="field-${field}-error"`, JSON.stringify(changes))
    t.notMatch(sent.text, /<script>alert|correct (&quot;|")horse/)
  }
  t.equal(readFileSync(file, 'utf8'), before)
})

t.test('resellers can do neither', async t => {
  const rita = await signIn(panel, 'rita')
  t.equal((await rita.get(path)).status, 403)
  t.equal((await rita.submit(path, whole)).status, 403)
  t.equal((await rita.submit(`${path}/remove`)).status, 403)
  t.ok(existsSync(file))
})

t.test('the relay is removed with its password', async t => {
  t.match((await admin.get('/server/settings')).text, 'Remove the mail relay')
  t.equal((await admin.submit(`${path}/remove`)).status, 303)
  t.notOk(existsSync(file))
  t.notOk(existsSync(`${file}-password`))
})
