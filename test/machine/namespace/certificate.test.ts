import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import t from 'tap'
import { certificatesOf } from '../../support/certificates/world.ts'
import { callPanel } from '../../support/cli/run-panel.ts'
import { until } from '../../support/until.ts'
import { openCertificatePanel } from '../certificates.ts'
import { run } from '../machine.ts'

// Certificates from a real authority, served by a real nginx, with the panel's own processes.

const { panel, authority, environment, start, output } = await openCertificatePanel(t)
const { create, find, untilSsl, hasten, events } = certificatesOf(panel)
await start('worker')
await start('courier')
const here = (...names: string[]) => names.forEach(name => authority.point(name, '127.0.0.1'))

t.test('a website has https soon after its create, which had not waited for it', async t => {
  here('alice.example', 'www.alice.example')
  const created = await create('alice')
  t.match(created, { status: 201, body: { sites: [{ ssl: 'none' }] } })
  const { issuer, expires_at } = await untilSsl('alice', 'issued')
  for (const name of ['alice.example', 'www.alice.example']) {
    const page = await until(() => {
      const visited = authority.visit(name)
      return visited.status === 200 && visited
    })
    t.match(page.text, /This website is ready/)
  }
  t.match(issuer, /^Pebble Intermediate CA/)
  t.match(await events('alice'), [
    { domain: 'alice.example', issuer, expires_at: expires_at.toISOString() },
  ])
})

t.test('https alone sends visitors on, and lets renewals through', async t => {
  const { DATABASE_URL = '', PANEL_STATE_DIR = '' } = environment
  const setHttps = async (...only: string[]) => {
    const words = ['site', 'set', 'alice', 'alice.example', ...only]
    const result = await callPanel(words, { DATABASE_URL, PANEL_STATE_DIR })
    t.equal(result.code, 0, result.stderr)
  }
  const seen = (path: string) =>
    run('curl', [
      ...['-sS', '-o', '/dev/null', '-w', '%{http_code} %{redirect_url}', '--path-as-is'],
      ...['--resolve', 'alice.example:80:127.0.0.1', `http://alice.example${path}`],
    ])
  await setHttps('--https-only', 'yes')
  await setHttps('--https-only', 'yes')
  for (const path of ['/', '/index.html?a=b%20c', '/none', '/shop.php', '/.env', '/%0d%0aX:1']) {
    t.equal((await seen(path)).stdout, `301 https://alice.example${path}`)
  }
  t.equal(authority.visit('alice.example').status, 200)
  t.equal(authority.visit('alice.example', '/none').status, 404)
  await hasten('alice', 'due_at = now(), renew_at = now()')
  await until(async () => (await events('alice')).length === 2)

  await panel.call('POST', '/api/v1/accounts/alice/suspend')
  t.match((await seen('/')).stdout, /^503/)
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend')
  t.match((await seen('/')).stdout, /^301/)
  await setHttps('--https-only', 'no')
  t.equal((await seen('/')).stdout, '200 ')
})

t.test('no name falls into another account’s website or certificate', async t => {
  t.match(authority.visit('unknown.example').text, /alert|handshake/)
})

t.test('a name that points elsewhere gets its certificate when it points here', async t => {
  authority.point('bob.example', '127.0.0.1', '192.0.2.7')
  const { body } = await create('bob')
  t.match(body, { sites: [{ ssl: 'none' }] })
  const waiting = await until(async () => {
    const row = await find('bob.example')
    return row.error !== null && row
  })
  t.match(waiting, { ssl: 'none', error: /points to 192\.0\.2\.7, which is not this server/ })
  authority.point('bob.example', '127.0.0.1', '2001:db8::7')
  await hasten('bob')
  await until(async () => /2001:db8::7/.test((await find('bob.example')).error))
  here('bob.example')
  await hasten('bob')
  const { installed_names } = await untilSsl('bob', 'issued')
  t.strictSame(installed_names, ['bob.example'])
  t.equal(authority.visit('bob.example').status, 200)
})

t.test('an order that the authority refuses has failed, and is attempted again', async t => {
  here('carol.example')
  authority.pointForAuthority('carol.example', '192.0.2.9')
  await create('carol')
  const failed = await untilSsl('carol', 'failed')
  t.match(failed, { attempts: 1, error: /192\.0\.2\.9/ })
  here('carol.example')
  await hasten('carol')
  await untilSsl('carol', 'issued')
})

t.test('a failed renewal leaves the old one in its place', async t => {
  authority.pointForAuthority('carol.example', '192.0.2.9')
  await hasten('carol', 'due_at = now(), renew_at = now()')
  await until(async () => (await find('carol.example')).error !== null)
  t.equal((await find('carol.example')).ssl, 'issued')
  t.equal(authority.visit('carol.example').status, 200)
  here('carol.example')
  await hasten('carol')
  await until(async () => (await events('carol')).length === 2)
})

t.test('suspended it says so by https too, and is renewed', async t => {
  await panel.call('POST', '/api/v1/accounts/bob/suspend')
  t.equal(authority.visit('bob.example').status, 503)
  await hasten('bob', 'due_at = now(), renew_at = now()')
  await until(async () => (await events('bob')).length === 2)
  t.equal(authority.visit('bob.example').status, 503)
  await panel.call('POST', '/api/v1/accounts/bob/unsuspend')
  t.equal(authority.visit('bob.example').status, 200)
})

t.test('two couriers order once', async t => {
  const other = await start('courier')
  const names = ['d1', 'd2', 'd3', 'd4']
  for (const name of names) here(`${name}.example`)
  await Promise.all(names.map(name => create(name)))
  for (const name of names) await untilSsl(name, 'issued')
  const { rows } = await panel.pool.query(
    `select count(*)::int as count from panel.events where data ->> 'domain' like 'd_.example'
     and name = 'ssl.issued'`,
  )
  t.strictSame(rows, [{ count: names.length }])
  await other.kill()
})

t.test('terminated it leaves no certificate and no key', async t => {
  const { site_id } = await find('alice.example')
  const folder = `/var/lib/panel/certificates/${site_id}`
  t.ok(existsSync(folder))
  await panel.call('DELETE', '/api/v1/accounts/alice')
  t.notOk(existsSync(folder))
  t.notOk(existsSync('/var/lib/panel/web/tls/alice.example'))
  t.equal(authority.visit('alice.example').status, 0)
})

t.test('no key is in a row, a log line or a job', async t => {
  const { stdout: dump } = spawnSync('bash', ['-c', 'cat /var/lib/panel/certificates/*/*.pem'], {
    encoding: 'utf8',
  })
  const keys = dump.match(/(?<=PRIVATE KEY-----\n)[A-Za-z0-9+/]{60}/g) ?? []
  t.ok(keys.length >= 2)
  const { rows } = await panel.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('panel', 'worker_queue', 'courier_queue')`,
  )
  let text = output()
  for (const { name } of rows) {
    const { rows: found } = await panel.pool.query(`select r::text from ${name} r`)
    text += JSON.stringify(found)
  }
  for (const key of keys) t.notOk(text.includes(key))
  t.notMatch(text, 'PRIVATE KEY')
})
