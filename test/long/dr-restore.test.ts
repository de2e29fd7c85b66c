import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { install } from '../support/hooks/hooks.ts'
import { alice, call } from '../support/panel.ts'
import { inherited } from '../support/processes.ts'
import { receiverFor } from '../support/receiver.ts'
import { start } from '../support/start/panel.ts'
import { eventually, scratch } from '../support/scratch.ts'
import { passphrase, runQuick } from '../support/cli/backups.ts'
import { runPanel } from '../support/cli/run-panel.ts'

// A panel of `panel start` is backed up and deleted; another machine becomes it.

// Real processes, on a machine that may be busy with other tests.
t.setTimeout(240_000)

const [oldDir, parent] = [scratch(t), scratch(t)]
const newDir = join(parent, 'new')
const environmentOf = (stateDir: string) => ({
  PANEL_STATE_DIR: stateDir,
  PANEL_HOOKS_DIR: join(stateDir, 'hooks'),
})
const [from, to] = [environmentOf(oldDir), environmentOf(newDir)]
const file = join(parent, 'backup.age')
const restore = (...words: string[]) =>
  runQuick(['ctl', 'dr-restore', file, '--passphrase-stdin', '--json', ...words], to, passphrase)
const receiver = await receiverFor(t)
const secret = 'a secret of the receiver'
const firstStart = (dir: string) => JSON.parse(readFileSync(join(dir, 'first-start.json'), 'utf8'))
let token = ''
let created = ''
let uids = ''

// In any order: accounts that are made at once get their lines as they come.
const uidsOf = (dir: string) =>
  readFileSync(join(dir, 'host/etc/passwd'), 'utf8')
    .replace(/:[^:]*$/gm, '')
    .split('\n')
    .sort()
    .join('\n')

t.test('a panel that works is backed up', async t => {
  const panel = start(t, oldDir, from)
  await panel.ready()
  const { base_url } = firstStart(oldDir)
  token = firstStart(oldDir).token
  const ask = (method: string, path: string, body: object, key: string) =>
    call(`${base_url}/api/v1${path}`, method, { body, key, token })
  await ask('PUT', '/packages/starter', { max_sites: 3 }, 'package')
  const added = await runQuick(['webhook', 'add', receiver.url, '--secret-stdin'], from, secret)
  t.equal(added.code, 0, added.stderr)
  const bob = { ...alice, username: 'bob', domain: 'bob.example' }
  created = (await ask('POST', '/accounts', alice, 'alice')).text
  t.match(created, '"active"')
  await ask('POST', '/accounts', bob, 'bob')
  t.equal((await ask('POST', '/accounts/bob/suspend', { reason: 'Late' }, 's')).status, 200)
  const files = join(oldDir, 'host/home/alice/files')
  writeFileSync(join(files, 'letter'), 'dear', { mode: 0o604 })
  symlinkSync('/etc/passwd', join(files, 'link'))
  install(
    join(oldDir, 'hooks/account.unsuspended.d/report'),
    `#!/bin/sh\ncat >"${parent}/reported"\n`,
  )
  uids = uidsOf(oldDir)
  await eventually('all is delivered', () => receiver.received.length === 5)
  const words = ['backup', 'create', '--output', file, '--passphrase-stdin']
  const made = await runPanel(words, from, passphrase)
  t.equal(made.code, 0, made.stderr)
  t.match(await runQuick(['ctl', 'dr-restore', file, '--passphrase-stdin'], from, passphrase), {
    code: 1,
    stderr: /A panel \(process [0-9]+\) already runs on /,
  })
  await eventually('the backup is reported', () => receiver.received.length === 6)
  t.match(receiver.received[5]?.body.toString(), '"event":"backup.completed"')
  await panel.stop('SIGTERM')
})

t.test('a damaged backup or a wrong passphrase changes nothing', async t => {
  const words = ['ctl', 'dr-restore', '--passphrase-stdin', '--yes']
  const wrong = await runQuick([...words, file], to, 'another passphrase')
  t.match(wrong, { code: 1, stderr: /The passphrase is wrong for this backup/ })
  const cut = join(parent, 'cut')
  copyFileSync(file, cut)
  truncateSync(cut, 5_000)
  t.match(await runQuick([...words, cut], to, passphrase), { code: 1, stderr: /damaged/ })
  t.notOk(existsSync(newDir))
  t.match(await runQuick(words, to, passphrase), { code: 2, stderr: /FILE is required/ })
})

t.test('a dry run shows the changes, and no server is restored without a question', async t => {
  t.match(await restore('--dry-run'), {
    code: 0,
    stdout: /"would_restore":\{.*"accounts":2,"lost_accounts":0,"done":\[\]/,
  })
  t.notOk(existsSync(join(newDir, 'postgres')))
  t.match(await restore(), { code: 1, stderr: /To confirm without a terminal, use --yes/ })
  t.notOk(existsSync(join(newDir, 'restore.json')))
})

t.test('killed half way it keeps the panel from starting, and goes on', async t => {
  const bin = join(import.meta.dirname, '../../bin/panel')
  const words = ['ctl', 'dr-restore', file, '--passphrase-stdin', '--yes']
  const child = spawn(process.execPath, [bin, ...words], {
    env: { ...inherited, ...to },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.end(passphrase)
  const exited = once(child, 'exit')
  const journal = join(newDir, 'restore.json')
  const isHalf = () => existsSync(journal) && readFileSync(journal, 'utf8').includes('database')
  while (!isHalf() && child.exitCode === null) await sleep(5)
  child.kill('SIGKILL')
  t.strictSame(await exited, [null, 'SIGKILL'])
  const refused = start(t, newDir, to)
  await once(refused.child, 'exit')
  t.match(refused.stderr(), /A restore of this server is not finished/)

  const result = await restore('--yes')
  t.equal(result.code, 0, result.stderr)
  t.match(result.stderr, /continuing the interrupted restore of this backup/)
  t.match(result.json(), { accounts: 2, closed_operations: 0, put_aside: [] })
  t.notOk(existsSync(journal))
  for (const folder of ['', 'host/home', 'host/var/lib/panel']) {
    t.notMatch(readdirSync(join(newDir, folder)).join(' '), /restoring|before/, folder)
  }
})

t.test('the restored panel works as the old one did', async t => {
  const panel = start(t, newDir, to)
  await panel.ready()
  const { base_url, token: kept } = firstStart(newDir)
  t.equal(kept, token)
  const ask = (method: string, path: string, body?: object, key = 'one more') =>
    call(`${base_url}/api/v1${path}`, method, { body, key, token })
  t.equal((await ask('POST', '/accounts', alice, 'alice')).text, created, 'the stored bytes')
  t.match(await ask('GET', '/accounts/bob'), { status: 200, body: { state: 'suspended' } })
  // The worker makes both accounts on this machine.
  await eventually('users are there', () => {
    const passwd = join(newDir, 'host/etc/passwd')
    return existsSync(passwd) && uidsOf(newDir) === uids
  })
  const files = join(newDir, 'host/home/alice/files')
  t.equal(readFileSync(join(files, 'letter'), 'utf8'), 'dear')
  t.equal(lstatSync(join(files, 'letter')).mode & 0o777, 0o604)
  t.equal(readlinkSync(join(files, 'link')), '/etc/passwd')

  t.equal((await ask('POST', '/accounts/bob/unsuspend', {}, 'u')).status, 200)
  await eventually('the hook script ran', () => existsSync(join(parent, 'reported')))
  const carol = { ...alice, username: 'carol', domain: 'carol.example' }
  t.equal((await ask('POST', '/accounts', carol, 'carol')).status, 201)
  const numbers = [...uidsOf(newDir).matchAll(/^\w+:[^:]*:(\d+):/gm)].map(match => Number(match[1]))
  t.equal(new Set(numbers).size, 3, 'no number is given twice')

  // Nothing is sent before the release; then all of it, signed as before.
  t.equal(receiver.received.length, 6)
  const released = await runQuick(['ctl', 'dr-restore', '--release', '--json'], to)
  t.match(released.json(), { released: true })
  await eventually('all is delivered', () => receiver.received.length === 9)
  for (const { headers, body } of receiver.received) {
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    t.equal(headers['x-panel-signature'], signature)
  }
  t.match((await runQuick(['ctl', 'dr-restore', '--release'], to)).stderr, /was not paused/)
  await panel.stop('SIGTERM')
})

t.test('a server with accounts is restored only by force; its homes are put aside', async t => {
  const result = await restore('--yes')
  t.match(result, { code: 1, stderr: /This server has 3 accounts; use --force to replace them/ })
  writeFileSync(join(newDir, 'host/home/alice/files/later'), 'newer')
  const forced = await restore('--yes', '--force')
  t.equal(forced.code, 0, forced.stderr)
  t.notOk(existsSync(join(newDir, 'host/home/alice/files/later')))
  const before = join(newDir, 'host/home/.before-restore')
  t.ok(existsSync(join(before, 'alice/files/later')))
  t.ok(forced.json().put_aside.includes(before))
  t.ok(existsSync(join(newDir, 'host/home/carol')), 'what the backup does not know stays')
})
