import { dirname } from 'node:path'
import t from 'tap'
import { certificatesOf } from '../../support/certificates/world.ts'
import { callPanel } from '../../support/cli/run-panel.ts'
import { until } from '../../support/until.ts'
import { openCertificatePanel } from '../certificates.ts'
import { run } from '../machine.ts'

// Certificates of websites with further names: a name that cannot have one does not keep the others
// from theirs.

const { panel, authority, environment, start } = await openCertificatePanel(t)
const { create, find, untilSsl, hasten, events } = certificatesOf(panel)
await start('worker')
await start('courier')
const here = (...names: string[]) => names.forEach(name => authority.point(name, '127.0.0.1'))
const set = async (username: string, ...options: string[]) => {
  const { DATABASE_URL = '' } = environment
  const words = ['site', 'set', username, `${username}.example`, ...options]
  const state = { DATABASE_URL, PANEL_STATE_DIR: dirname(panel.root) }
  const result = await callPanel(words, state)
  if (result.code !== 0) throw new Error(result.stderr)
}
const untilNames = (domain: string, ...names: string[]) =>
  until(async () => {
    const row = await find(domain)
    return row.installed_names?.join() === names.join() && row
  })

t.test('a further name is added to the certificate once it points here', async t => {
  here('alice.example')
  await create('alice')
  await untilSsl('alice', 'issued')
  await panel.pool.query(`update panel.certificates set ordered_at = now() - interval '1 hour'`)
  here('second.example')
  authority.point('third.example', '192.0.2.7')
  await set('alice', '--alias', 'second.example', '--alias', 'third.example')
  const { missing } = await untilNames('alice.example', 'alice.example', 'second.example')
  t.match(missing['third.example'], /points to 192\.0\.2\.7, which is not this server/)
  t.equal(authority.visit('second.example').status, 200)
  t.equal((await events('alice')).length, 2)

  here('third.example')
  await hasten('alice')
  await untilNames('alice.example', 'alice.example', 'second.example', 'third.example')
  t.equal(authority.visit('third.example').status, 200)
})

t.test('a removed name is not served, and is left out of the renewal', async t => {
  await set('alice', '--remove-alias', 'second.example')
  t.not(authority.visit('second.example').status, 200)
  t.equal(authority.visit('alice.example').status, 200)
  await hasten('alice', 'due_at = now(), renew_at = now()')
  await untilNames('alice.example', 'alice.example', 'third.example')
})

t.test('a renewal does without a name that no longer points here', async t => {
  authority.point('third.example', '192.0.2.7')
  await hasten('alice', 'due_at = now(), renew_at = now()')
  await untilNames('alice.example', 'alice.example')
  t.equal((await find('alice.example')).ssl, 'issued')
})

t.test('a name that the authority refuses is left out', async t => {
  here('third.example')
  authority.pointForAuthority('third.example', '192.0.2.9')
  await hasten('alice', 'due_at = now(), renew_at = now()')
  const row = await until(async () => {
    const found = await find('alice.example')
    return found.refused.length > 0 && found.step === 'order' && found.request === null && found
  })
  t.strictSame(row.refused, ['third.example'])
  t.match(row.missing['third.example'], /192\.0\.2\.9/)
  await untilNames('alice.example', 'alice.example')
  await until(async () => (await find('alice.example')).renew_at > new Date())
  t.equal(authority.visit('alice.example').status, 200)
  here('third.example')
  await panel.pool.query(`update panel.certificates set ordered_at = now() - interval '1 hour'`)
  const { DATABASE_URL = '' } = environment
  await callPanel(['site', 'recheck', 'alice', 'alice.example'], {
    DATABASE_URL,
    PANEL_STATE_DIR: dirname(panel.root),
  })
  await untilNames('alice.example', 'alice.example', 'third.example')
})

t.test('a further name has one while the domain does not point here', async t => {
  authority.point('bob.example', '192.0.2.7')
  here('preview.example')
  await create('bob')
  await set('bob', '--alias', 'preview.example', '--https-only', 'yes')
  const { ssl, error } = await untilNames('bob.example', 'preview.example')
  t.equal(ssl, 'none')
  t.match(error, /bob\.example points to 192\.0\.2\.7/)
  t.equal(authority.visit('preview.example').status, 200)
  t.strictSame(await events('bob'), [], 'the website itself has none')
  here('bob.example')
  await hasten('bob')
  await untilNames('bob.example', 'bob.example', 'preview.example')
  await untilSsl('bob', 'issued')
  t.equal((await events('bob')).length, 1)
})

t.test('with https alone a name without a certificate is served by http', async t => {
  const seen = async (name: string, path = '/') => {
    const { stdout } = await run('curl', [
      ...['-sS', '-o', '/dev/null', '-w', '%{http_code} %{redirect_url}', '--path-as-is'],
      ...['--resolve', `${name}:80:127.0.0.1`, `http://${name}${path}`],
    ])
    return stdout.trim()
  }
  const html = '/home/carol/sites/carol.example/public'
  here('carol.example')
  authority.point('other.example', '192.0.2.7')
  await create('carol')
  await run('mkdir', [`${html}/folder`])
  await run('sh', ['-c', `echo '<?php echo "run";' >${html}/a.php; echo a >${html}/folder/a.txt`])
  await run('chown', ['-R', '--reference', html, `${html}/folder`, `${html}/a.php`])
  await set('carol', '--alias', 'other.example', '--https-only', 'yes')
  await untilSsl('carol', 'issued')
  t.equal(await seen('carol.example', '/x?y'), '301 https://carol.example/x?y')
  for (const name of ['www.carol.example', 'other.example', 'www.other.example']) {
    t.equal(authority.visit(name).status, 0, 'there is no certificate for it')
    t.equal(await seen(name), '200', name)
    t.equal(await seen(name, '/folder/a.txt'), '200')
    t.equal(await seen(name, '/a.php/x?y'), '200')
    t.equal(await seen(name, '/none'), '404')
    t.equal(await seen(name, '/.env'), '404')
    t.equal(await seen(name, '/folder'), `301 http://${name}/folder/`)
  }
  await set('carol', '--www', 'redirect')
  t.equal(await seen('www.carol.example', '/x'), '301 http://carol.example/x')
  await set('carol', '--www', 'serve')
  await panel.call('POST', '/api/v1/accounts/carol/suspend')
  t.equal(await seen('other.example'), '503')
  await panel.call('POST', '/api/v1/accounts/carol/unsuspend')

  here('other.example', 'www.carol.example')
  await panel.pool.query(`update panel.certificates set ordered_at = now() - interval '1 hour'`)
  await hasten('carol')
  await untilNames('carol.example', 'carol.example', 'www.carol.example', 'other.example')
  for (const name of ['www.carol.example', 'other.example']) {
    t.equal(await seen(name, '/none'), `301 https://${name}/none`)
  }
  t.equal(await seen('www.other.example'), '200')
})
