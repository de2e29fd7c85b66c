import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { address } from '../support/database.ts'
import { account, passphrase, waitUntilIdle, runQuick } from '../support/cli/backups.ts'

// A backup is written while the panel works, is read back, and is refused if it is damaged.

t.setTimeout(150_000)
const panel = await openPanel(t)
const stateDir = dirname(panel.root)
const environment = {
  DATABASE_URL: panel.databaseUrl,
  PANEL_STATE_DIR: stateDir,
  PANEL_HOOKS_DIR: join(panel.root, 'etc/panel/hooks'),
  PANEL_HOSTNAME: 'old.example',
}
const backup = (...words: string[]) => runQuick(['backup', ...words], environment, passphrase)
const verify = (file: string, given = passphrase) =>
  runQuick(['backup', 'verify', file, '--passphrase-stdin', '--json'], {}, given)
let file = ''

t.test('a backup is written, read back, recorded and reported', async t => {
  await waitUntilIdle(panel, stateDir)
  const result = await backup('create', '--passphrase-stdin', '--json')
  t.equal(result.code, 0, result.stderr)
  const made = result.json()
  file = made.path
  t.equal(dirname(file), join(stateDir, 'backups'))
  t.match(basename(file), /^panel-[0-9]{8}T[0-9]{6}Z\.tar\.age$/)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(statSync(dirname(file)).mode & 0o777, 0o700)
  t.strictSame(readdirSync(dirname(file)), [basename(file)])
  t.equal(made.bytes, statSync(file).size)
  t.strictSame(made.warnings, [])
  const { rows } = await panel.pool.query(
    `select data from panel.events where name = 'backup.completed'`,
  )
  const { bytes, duration_ms } = made
  t.strictSame(rows, [{ data: { kind: 'full', scope: 'server', bytes, duration_ms } }])
  t.match((await backup('ls', '--json')).json(), { backups: [{ path: file, is_there: true }] })
  t.match((await backup('ls')).stdout, /^STARTED.*\n.* yes +\/.*\.tar\.age +\d+\n$/)
})

t.test('nothing of it can be read in the file', async t => {
  const bytes = readFileSync(file)
  t.ok(bytes.subarray(0, 21).equals(Buffer.from('age-encryption.org/v1')))
  for (const secret of [account.username, account.email, 'a letter', '/home', 'panel.env']) {
    t.notOk(bytes.includes(secret), secret)
  }
})

t.test('a whole backup is reported as whole without a panel', async t => {
  const result = await verify(file)
  t.match(result, { code: 0, stderr: '' })
  const { rows } = await panel.pool.query('select id from panel.server')
  t.match(result.json(), {
    is_whole: true,
    server: 'old.example',
    server_id: rows[0].id,
    host: 'sandbox',
    accounts: 2,
  })
})

t.test('a wrong passphrase, damage, a missing end and other files are refused', async t => {
  const damaged = join(stateDir, 'damaged')
  const refused = async (words: RegExp, given?: string) => {
    t.match(await verify(damaged, given), { code: 1, stdout: '', stderr: words }, words.source)
  }
  copyFileSync(file, damaged)
  await refused(/The passphrase is wrong for this backup/, 'not the passphrase of it')
  const bytes = readFileSync(file)
  const index = Math.floor(bytes.length / 2)
  bytes[index] = bytes[index]! ^ 1
  writeFileSync(damaged, bytes)
  await refused(/The backup is damaged/)
  copyFileSync(file, damaged)
  // At the end of a chunk, where only the missing last chunk shows it.
  const header = readFileSync(file).indexOf('\n', readFileSync(file).indexOf('\n--- ') + 1) + 1
  truncateSync(damaged, header + 16 + 65_552)
  await refused(/The backup is damaged/)
  writeFileSync(damaged, randomBytes(1_000))
  await refused(/is not a backup of the panel/)
  t.match(await verify(join(stateDir, 'nothing')), { code: 1, stderr: /cannot be read \(ENOENT\)/ })
  t.match(await verify(stateDir), { code: 1, stderr: /is not a backup of the panel/ })
})

t.test('nothing that is there is written over, and no weak passphrase taken', async t => {
  const before = readFileSync(file)
  const there = await backup('create', '--output', file, '--passphrase-stdin')
  t.match(there, { code: 1, stderr: /exists already/ })
  t.ok(readFileSync(file).equals(before))
  const weak = await runQuick(['backup', 'create', '--passphrase-stdin'], environment, 'short\n')
  t.match(weak, { code: 1, stderr: /at least 12 characters/ })
  const unasked = await runQuick(['backup', 'create'], environment)
  t.match(unasked, {
    code: 1,
    stderr: /No terminal to ask for the passphrase: use --passphrase-stdin/,
  })
  const nowhere = { ...environment, DATABASE_URL: 'postgresql://127.0.0.1:1/panel' }
  t.match(await runQuick(['backup', 'create', '--passphrase-stdin'], nowhere, passphrase), {
    code: 1,
    stderr: /The database cannot be reached/,
  })
})

t.test('a backup that cannot be written is none', async t => {
  const result = await backup('create', '--output', join(stateDir, 'no/file'), '--passphrase-stdin')
  t.match(result, { code: 1, stderr: /^panel: ENOENT: no such file or directory, open '.*'\n$/ })
  t.strictSame((await backup('ls', '--json')).json().backups.length, 1)
})

t.test('a killed backup has no name; the next replaces it', async t => {
  const folder = join(stateDir, 'elsewhere')
  mkdirSync(folder)
  writeFileSync(join(panel.root, 'home/alice/files/large'), randomBytes(40_000_000))
  const target = join(folder, 'one.age')
  const bin = join(import.meta.dirname, '../../bin/panel')
  const words = ['backup', 'create', '--output', target, '--passphrase-stdin']
  const child = spawn(process.execPath, [bin, ...words], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.end(passphrase)
  const exited = once(child, 'exit')
  while (!readdirSync(folder).some(name => statSync(join(folder, name)).size > 1_000_000)) {
    await new Promise(done => setTimeout(done, 10))
  }
  const busy = await backup('create', '--passphrase-stdin')
  t.match(busy, { code: 1, stderr: /Process [0-9]+ is already writing a backup/ })
  child.kill('SIGKILL')
  await exited
  t.notOk(existsSync(target))
  t.equal(readdirSync(folder).length, 1)
  t.match(await backup('create', '--output', target, '--passphrase-stdin'), { code: 0, stderr: '' })
  t.strictSame(readdirSync(folder), ['one.age'])
  t.match(await verify(target), { code: 0 })
})

t.test('a backup needs the database and no other process', async t => {
  const empty = { ...environment, DATABASE_URL: address('postgres', 'postgres') }
  t.match(await runQuick(['backup', 'create', '--passphrase-stdin'], empty, passphrase), {
    code: 1,
    stderr: /The database does not contain the schema of this release/,
  })
})
