import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { hashToken } from '../../src/model/signing-in/tokens.ts'
import { panelFor, callPanel } from '../support/cli/run-panel.ts'

const { pool, panel, stateDir, environment } = await panelFor(t)
await addOperator(pool, {
  name: 'admin',
  role: 'administrator',
  email: 'admin@example.com',
  password: 'correct horse',
})

const create = (...more: string[]) => ['token', 'create', '--owner', 'admin', '--json', ...more]

t.test('makes a token, of which only the hash is kept', async t => {
  const result = await panel(create())
  t.equal(result.code, 0)
  t.strictSame(Object.keys(result.json()), ['id', 'token'])
  const { id, token } = result.json()
  t.match(token, /^pnl_[A-Za-z0-9_-]{43}$/)
  t.notMatch(result.stderr, token)
  const { rows } = await pool.query('select * from panel.tokens')
  t.match(rows, [{ id, name: 'Command line', hash: hashToken(token), allowed: null }])
  t.notMatch(JSON.stringify(rows), token)
})

t.test('makes another each time, with everything that it can have', async t => {
  const result = await panel([
    ...['token', 'create', '--owner', 'admin', '--name', 'Billing'],
    ...['--permission', 'Provisioning only', '--allow', '192.0.2.7', '--allow', '2001:db8::/32'],
    ...['--allow', '::ffff:198.51.100.0/120', '--allow', '192.0.2.7/32', '--expires', '2099-12-31'],
  ])
  t.equal(result.code, 0)
  const [, id] = /^id +([0-9]+)\ntoken +pnl_[^ ]{43}\n$/.exec(result.stdout) ?? []
  const listed = (await panel(['token', 'ls', '--json'])).json()
  t.equal(listed.tokens.length, 2)
  t.match(listed.tokens[1], {
    id,
    owner: 'admin',
    name: 'Billing',
    permission: 'Provisioning only',
    allowed: ['192.0.2.7/32', '2001:db8::/32', '198.51.100.0/24'],
    state: 'valid',
    expires_at: '2099-12-31T00:00:00.000Z',
    last_used_at: null,
  })
  t.notMatch(JSON.stringify(listed), /pnl_|hash/)
})

t.test('makes one that only reads events', async t => {
  const result = await panel(create('--permission', 'Read events'))
  t.equal(result.code, 0)
  const listed = (await panel(['token', 'ls', '--json'])).json().tokens
  t.match(listed.at(-1), { id: result.json().id, permission: 'Read events' })
})

t.test('lists what became of each, without its secret', async t => {
  const made = async () => (await panel(create())).json() as { id: string; token: string }
  const [expired, used] = [await made(), await made()]
  await pool.query('update panel.tokens set expires_at = now() where id = $1', [expired.id])
  await pool.query('select panel.authenticate_call($1, null, 1200)', [hashToken(used.token)])
  const { stdout } = await panel(['token', 'ls', '--owner', 'admin'])
  t.match(stdout, /^ID +OWNER +NAME +STATE/)
  t.match(stdout, new RegExp(`^${expired.id} +admin +Command line +expired `, 'm'))
  t.match(stdout, new RegExp(`^${used.id} +admin +Command line +valid .*- +2[-0-9T:.]+Z$`, 'm'))
  t.notMatch(stdout, /pnl_/)
})

t.test('revokes a token, once', async t => {
  const { id, token } = (await panel(create())).json()
  const first = await panel(['token', 'revoke', id, '--yes', '--json'])
  t.equal(first.code, 0)
  t.match(first.json(), { id, revoked_at: /^2.*Z$/ })
  t.strictSame((await panel(['token', 'revoke', id, '--json'])).json(), first.json())
  const { rows } = await pool.query('select verdict from panel.authenticate_call($1, null, 1200)', [
    hashToken(token),
  ])
  t.strictSame(rows, [{ verdict: 'unknown' }])
  t.match((await panel(['token', 'ls'])).stdout, new RegExp(`^${id} .* revoked `, 'm'))
})

t.test('refuses what it does not know', async t => {
  for (const [words, stderr] of [
    [['token', 'create', '--owner', 'missing'], 'panel: Unknown operator: missing\n'],
    [['token', 'ls', '--owner', 'missing'], 'panel: Unknown operator: missing\n'],
    [['token', 'revoke', '999999'], 'panel: Unknown token: 999999\n'],
  ] as const) {
    t.match(await panel([...words]), { code: 1, stdout: '', stderr })
  }
})

t.test('answers wrong usage with 2 and makes nothing', async t => {
  const count = async () => (await pool.query('select from panel.tokens')).rowCount
  const before = await count()
  const wrong: [string[], RegExp][] = [
    [['token', 'create'], /--owner/],
    [create('--permission', 'Everything'), /--permission can only be .* or “Read events”/],
    [create('--permission', 'read events'), /--permission can only be/],
    [create('--permission', ''), /--permission can only be/],
    [create('--allow', '192.0.2.1/24'), /write 192\.0\.2\.0\/24 or 192\.0\.2\.1\/32/],
    [create('--allow', 'localhost'), /--allow must be an address/],
    [create('--expires', '2020-01-01'), /--expires must be in the future/],
    [create('--expires', '2099-02-30'), /--expires must be a day/],
    [create('--expires', 'tomorrow'), /--expires must be a day/],
    [create('--name', ''), /--name is empty/],
    [create('--name', 'x'.repeat(101)), /--name must have at most 100/],
    [create('--name', 'a\u001b[31m'), /--name must not contain control or invisible characters/],
    [['token', 'revoke'], /ID/],
    [['token', 'rm', '1'], /no command token rm/],
  ]
  const results = await Promise.all(wrong.map(([words]) => panel(words)))
  for (const [index, [words, stderr]] of wrong.entries()) {
    t.match(results[index], { code: 2, stdout: '', stderr }, words.join(' '))
  }
  t.equal(await count(), before)
})

t.test('does not repeat a token that was given for its number', async t => {
  const { token } = (await panel(create())).json()
  const result = await panel(['token', 'revoke', token])
  t.match(result, { code: 2, stdout: '', stderr: /must be a number/ })
  t.notMatch(result.stderr, token)
})

t.test('the development license counts only under panel start, on loopback', async t => {
  const lock = join(stateDir, 'lock')
  const refused = {
    code: 1,
    stdout: '',
    stderr: /"This server has no valid license: .*--self-license/,
  }
  t.match(await callPanel(create(), { ...environment, PANEL_LISTEN: '0.0.0.0:8080' }), refused)
  // Greater than any process number here.
  for (const holder of ['', '4194305\n', '-1\n', '0\n', 'x']) {
    writeFileSync(lock, holder)
    t.match(await panel(create()), refused, holder)
  }
  rmSync(lock)
  t.match(await callPanel(create(), { ...environment, PANEL_DEVELOPMENT: 'yes' }), refused)
  writeFileSync(lock, `${process.pid}\n`)
  t.equal((await panel(create())).code, 0)
})
