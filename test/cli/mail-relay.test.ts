import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'

// Root sets, shows and removes the mail relay; only the machine gets its password.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const call = (words: string[], input?: string) =>
  callPanel(['mail', 'relay', ...words], environment, input)
const file = join(panel.root, 'etc/panel/mail/relay')
const passwordFile = `${file}-password`
const password = 'correct horse'
const whole = ['set', 'smtp.example.com', '--user', 'me', '--from-domain', 'example.net']

t.test('a panel has none at first, and a missing one can be removed', async t => {
  t.match((await call(['show', '--json'])).json(), { mail_relay: null })
  for (let count = 0; count < 2; count++) t.equal((await call(['rm'])).code, 0)
  t.notOk(existsSync(file))
})

t.test('a relay needs a password if it has a user', async t => {
  const refused = await call(whole)
  t.match(refused, { code: 1, stderr: /password is required: the relay has a user/ })
  t.notOk(existsSync(file))
  const other = ['set', 'smtp.example.com', '--from-domain', 'example.net', '--password-stdin']
  t.match(await call(other, password), { code: 1, stderr: /user is required/ })
})

t.test('the relay is on the machine as msmtp reads it, and its password alone', async t => {
  const done = await call([...whole, '--password-stdin'], `${password}\n`)
  t.equal(done.code, 0, done.stderr)
  t.notMatch(done.stdout + done.stderr, password)
  t.match(
    readFileSync(file, 'utf8'),
    `account panel
host smtp.example.com
port 587
timeout 8
domain example.net
tls on
tls_starttls on
auth on
user "me"
passwordeval "cat /etc/panel/mail/relay-password"
`,
  )
  t.equal(readFileSync(passwordFile, 'utf8'), `${password}\n`)
})

t.test('the password is in no row, answer or history', async t => {
  for (const table of ['server', 'operations', 'history']) {
    const { rows } = await panel.pool.query(`select to_jsonb(r)::text as row from panel.${table} r`)
    t.notMatch(rows.map(({ row }) => row).join(), password, table)
  }
  const shown = await call(['show', '--json'])
  const expected = {
    ...{ host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'me' },
    ...{ from_domain: 'example.net', has_password: true },
  }
  t.strictSame(shown.json(), { mail_relay: expected })
})

t.test('a password that is left out stays with its relay and user only', async t => {
  t.equal((await call([...whole, '--port', '2525'])).code, 0)
  t.match(readFileSync(file, 'utf8'), 'port 2525')
  t.equal(readFileSync(passwordFile, 'utf8'), `${password}\n`)
  for (const words of [
    ['set', 'evil.example.com', '--user', 'me', '--from-domain', 'example.net'],
    ['set', 'smtp.example.com', '--user', 'you', '--from-domain', 'example.net'],
  ]) {
    t.match(await call(words), { code: 1, stderr: /password is required/ }, words.join(' '))
  }
  t.equal((await call(['set', 'localhost', '--tls', 'none', '--from-domain', 'a.example'])).code, 0)
  t.notOk(existsSync(passwordFile))
  t.match(readFileSync(file, 'utf8'), 'tls off\nauth off\n')
})

t.test('a repeat with the same key does it once', async t => {
  const words = [...whole, '--password-stdin', '--idempotency-key', 'relay-1']
  const first = await call(words, password)
  t.equal(first.code, 0, first.stderr)
  t.equal((await call(words, password)).stdout, first.stdout)
  t.match(await call(words, 'another password'), { code: 1, stderr: /belongs to another/ })
})

t.test('text that msmtp could take for more is refused', async t => {
  const before = readFileSync(file, 'utf8')
  const set = (changes: Record<string, string>, input = password) => {
    const all = { port: '587', tls: 'starttls', user: 'me', 'from-domain': 'example.net' }
    const { host = 'smtp.example.com', ...options } = { ...all, ...changes } as typeof all & {
      host?: string
    }
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    return call(['set', host, ...words, '--password-stdin'], input)
  }
  for (const changes of [
    ...['', 'smtp.example.com\ntls off', 'a b', '-x', 'SMTP.example.com', 'a;b', '$(id)', '/x'].map(
      host => ({ host }),
    ),
    ...['0', '65536', '-1', '1.5', '587 ', 'smtp', ''].map(port => ({ port })),
    ...['', 'ssl', 'off', 'none', 'STARTTLS'].map(tls => ({ tls })),
    ...['', 'a"b', 'a\nb', ' a', 'a ', 'ä', 'x'.repeat(255)].map(user => ({ user })),
    ...['', 'localhost', 'a b.example', 'example.net\nhost x', '-a.example', 'x"y.example'].map(
      domain => ({ 'from-domain': domain }),
    ),
  ]) {
    const { code, stdout } = await set(changes)
    t.ok(code === 1 || code === 2, JSON.stringify(changes))
    t.equal(stdout, '', JSON.stringify(changes))
  }
  for (const input of ['', '\n', 'a\nb', 'a\u0000b', 'x'.repeat(257)]) {
    t.not((await set({}, input)).code, 0, JSON.stringify(input))
  }
  t.equal(readFileSync(file, 'utf8'), before)
})

t.test('no row with other text reaches the machine', async t => {
  const before = readFileSync(file, 'utf8')
  for (const change of ['{"host": "a\\nb"}', '{"tls": "off"}', '{"password": "x y"}', '{"a": 1}']) {
    await panel.pool.query('begin')
    await panel.pool.query(`update panel.server set mail_relay = mail_relay || '${change}'`)
    await panel.pool.query('commit')
    await callPanel(['ctl', 'rebuild'], environment)
    t.equal(readFileSync(file, 'utf8'), before, change)
    t.not((await call(['show'])).code, 0)
    t.equal((await call([...whole, '--password-stdin'], password)).code, 0)
  }
})

t.test('doctor finds, and a rebuild corrects, other files', async t => {
  for (const spoil of [
    () => writeFileSync(file, 'host evil.example'),
    () => rmSync(file),
    () => writeFileSync(passwordFile, 'x'),
  ]) {
    spoil()
    const doctor = await callPanel(['ctl', 'doctor', '--json'], environment)
    const check = doctor.json().checks.find((one: { name: string }) => one.name === 'mail/relay')
    t.match(check, { state: 'failure', sentence: /Files of the mail relay differ/ })
    t.notMatch(doctor.stdout, password)
    t.equal((await callPanel(['ctl', 'rebuild'], environment)).code, 0)
    t.match(readFileSync(file, 'utf8'), 'host smtp.example.com')
    t.equal(readFileSync(passwordFile, 'utf8'), `${password}\n`)
  }
})

t.test('an account may send while it is active, from all of its names', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: { mails_per_hour: 7 } })
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  const { rows } = await panel.pool.query('select uid from panel.accounts')
  const own = join(panel.root, `etc/panel/mail/accounts/${rows[0].uid}`)
  const first = 'username alice\nlimit 7\nslots 4\ndomain alice.example\ndomain www.alice.example\n'
  t.equal(readFileSync(own, 'utf8'), first)
  const account = (...words: string[]) => callPanel(words, environment)
  const alias = ['site', 'set', 'alice', 'alice.example', '--alias', 'other.example']
  const added = await account(...alias)
  t.equal(added.code, 0, added.stderr)
  t.match(readFileSync(own, 'utf8'), /domain other\.example\ndomain www\.other\.example\n/)
  t.equal((await account('account', 'suspend', 'alice')).code, 0)
  t.notOk(existsSync(own))
  t.equal((await account('account', 'unsuspend', 'alice')).code, 0)
  t.ok(existsSync(own))
  t.equal((await account('account', 'terminate', 'alice', '--yes')).code, 0)
  t.notOk(existsSync(own))
})
