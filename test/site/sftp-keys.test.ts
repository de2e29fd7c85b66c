import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Public keys of an account, added and removed by root.

let failing: (step: string) => boolean = () => false
const gate = openGate(step => failing(step))
const panel = await openPanel(t, { observe: gate.observe })
const { call, pool, root } = panel
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
const command = (...words: string[]) => callPanel(['sftp-key', ...words], environment)
const folder = t.testdir()
const madeKey = (name: string) => {
  const file = join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `${name}@home`, '-f', file])
  return `${file}.pub`
}
const [one, two] = [madeKey('one'), madeKey('two')]
const bare = (file: string) => readFileSync(file, 'utf8').split(' ').slice(0, 2).join(' ')
const textFile = (text: string) => {
  writeFileSync(join(folder, 'text'), text)
  return join(folder, 'text')
}

await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await call('POST', '/api/v1/accounts', { body: alice })
const { rows } = await pool.query<{ uid: number }>('select uid from panel.accounts')
const file = join(root, 'etc/panel/keys', String(rows[0]!.uid))
const written = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
const listed = async () => (await command('ls', 'alice', '--json')).json().keys
const isApplied = async () =>
  (await pool.query('select is_applied from panel.accounts')).rows[0].is_applied as boolean
const rebuild = () => callPanel(['ctl', 'rebuild', 'alice'], environment)

t.test('a key that is added is sshd’s to read, once for its key', async t => {
  const repeatable = ['--idempotency-key', 'one', '--json']
  const added = await command('add', 'alice', one, ...repeatable)
  t.equal(added.code, 0, added.stderr)
  t.equal((await command('add', 'alice', one, ...repeatable)).stdout, added.stdout)
  t.equal(written(), `${bare(one)}\n`)
  const fingerprint = execFileSync('ssh-keygen', ['-lf', one]).toString()
  t.match(await listed(), [
    { kind: 'ssh-ed25519', comment: 'one@home', fingerprint: fingerprint.split(' ')[1] },
  ])
  t.equal((await command('add', 'alice', two)).code, 0)
  t.equal(written(), `${bare(one)}\n${bare(two)}\n`)
  t.ok(await isApplied())
})

t.test('an invalid key, or one too many, changes nothing', async t => {
  const before = written()
  const refusals: [file: string, sentence: RegExp][] = [
    [textFile(`command="sh" ${readFileSync(one, 'utf8')}`), /nothing before it/],
    [join(folder, 'one'), /is a private key/],
    [join(folder, 'nothing'), /cannot be read \(ENOENT\)/],
    ['/dev/zero', /is not a public key/],
  ]
  for (const [file, stderr] of refusals) {
    t.match(await command('add', 'alice', file), { code: 1, stdout: '', stderr }, file)
  }
  const known = textFile(bare(one))
  t.match(await command('add', 'alice', known), { code: 1, stderr: /already has this key/ })
  t.match(await command('add', 'ghost', one), { code: 1, stderr: /Unknown account/ })
  t.match(await command('rm', 'alice', '999', '--yes'), { code: 1, stderr: /No such key exists/ })
  t.equal((await listed()).length, 2)
  await pool.query(
    `insert into panel.sftp_keys (account_id, key, comment, desired)
     select id, 'ssh-ed25519 AAAA' || n, '', 'present'
     from panel.accounts, generate_series(10, 27) n`,
  )
  t.match(await command('add', 'alice', madeKey('many')), { code: 1, stderr: /may have 20 keys/ })
  await pool.query(`delete from panel.sftp_keys where comment = ''`)
  t.equal(written(), before)
})

t.test('an add or a removal that fails leaves what was', async t => {
  const [before, keys] = [written(), await listed()]
  const untilIdle = async () => {
    failing = () => false
    await until(isApplied)
    t.equal(written(), before)
    t.strictSame(await listed(), keys)
  }
  let count = 0
  // After the key was written: the undo takes it back.
  failing = step => step === 'sftp' && ++count === 1
  t.match(await command('add', 'alice', madeKey('late')), { code: 1, stderr: /failed/ })
  await untilIdle()
  failing = step => step === 'sftp' && ++count === 3
  gate.close()
  const removal = command('rm', 'alice', keys[0].id, '--yes')
  await gate.reached()
  // It may come back, as it does.
  t.match(await command('add', 'alice', one), { code: 1, stderr: /already has this key/ })
  gate.open()
  t.match(await removal, { code: 1, stderr: /failed/ })
  await untilIdle()
})

t.test('keys follow the account: a rebuild writes them, suspending keeps them', async t => {
  const before = written()
  t.match(await call('POST', '/api/v1/accounts/alice/suspend'), { status: 200 })
  t.equal(written(), before)
  const { id } = (await listed())[1]
  t.equal((await command('rm', 'alice', id, '--yes')).code, 0)
  t.equal(written(), `${bare(one)}\n`)
  t.match(await call('POST', '/api/v1/accounts/alice/unsuspend'), { status: 200 })
  execFileSync('sh', ['-c', 'echo "ssh-ed25519 strange" >> "$1"', 'sh', file])
  const dry = await callPanel(['ctl', 'rebuild', '--dry-run', 'alice'], environment)
  t.match(dry.stdout, /etc\/panel\/keys/)
  t.equal((await rebuild()).code, 0)
  t.equal(written(), `${bare(one)}\n`)
  execFileSync('rm', [file])
  t.equal((await rebuild()).code, 0)
  t.equal(written(), `${bare(one)}\n`)
})

t.test('the last one goes with its file, and all go with the account', async t => {
  const [{ id }] = await listed()
  t.equal((await command('rm', 'alice', id, '--yes')).code, 0)
  t.equal(written(), undefined)
  t.strictSame(await listed(), [])
  t.equal((await command('add', 'alice', one)).code, 0)
  t.match(await call('DELETE', '/api/v1/accounts/alice'), { status: 200 })
  t.equal(written(), undefined)
  const { rowCount } = await pool.query('select from panel.sftp_keys')
  t.equal(rowCount, 0)
})
