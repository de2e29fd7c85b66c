import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { openLinuxPanel, putFile, run, sftp, tracesOf, expectPage, visit } from '../machine.ts'
import { showClosedSockets, showRebuild } from '../rebuild.ts'

// systemd's units for an account: its PHP behind a socket unit, and one slice over everything.

const panel = await openLinuxPanel(t)
const worker = await panel.startMachineWorker()
const site = `/home/alice/sites/${alice.domain}/public`
let uid = 0
const show = async (unit: string, property: string) =>
  (await run('systemctl', ['show', '--value', '-p', property, unit])).stdout.trim()
const master = () => show(`panel-php@${uid}.service`, 'MainPID')
const groupOf = (pid: string) =>
  /name=systemd:(.*)/.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1]

t.test('the units are clean', async t => {
  for (const unit of ['panel-php@.socket', 'panel-php@.service']) {
    const named = `/tmp/${unit.replace('@', '@1')}`
    writeFileSync(named, readFileSync(`/etc/systemd/system/${unit}`))
    const result = await run('systemd-analyze', ['verify', named])
    const own = result.stderr.split('\n').filter(line => line.includes('panel-php'))
    t.strictSame(own, [], unit)
  }
})

t.test('PHP starts with the first visit, as the account and in its slice', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 128, cpu_percent: 50 } })
  await panel.call('PUT', '/api/v1/packages/large', { body: { memory_mb: 256, cpu_percent: 150 } })
  const created = await panel.call('POST', '/api/v1/accounts', { body: alice })
  t.equal(created.status, 201, created.text)
  t.match(created.body.warnings, [/has no disk quota/])
  t.equal(created.body.warnings.length, 1)
  uid = (await panel.pool.query('select uid from panel.accounts')).rows[0].uid
  await expectPage(alice.domain, '/', /^200 .*This website is ready/s)
  t.equal(await show(`panel-php@${uid}.service`, 'ActiveState'), 'inactive')
  await putFile({ uid }, `${site}/who.php`, '<?php echo posix_geteuid();')
  t.strictSame(await visit(alice.domain, '/who.php'), { status: 200, text: `${uid}` })
  t.equal(await show(`panel-php@${uid}.service`, 'ActiveState'), 'active')
  t.match(groupOf(await master()), `/user.slice/user-${uid}.slice/panel-php@${uid}.service`)
  t.equal(await show(`user-${uid}.slice`, 'MemoryMax'), String(128 * 2 ** 20))
  t.equal(await show(`user-${uid}.slice`, 'CPUQuotaPerSecUSec'), '500ms')
})

t.test('an SFTP session is in the same slice', async t => {
  const session = spawn('sshpass', [
    ...['-p', alice.password, 'sftp', '-o', 'StrictHostKeyChecking=no', 'alice@127.0.0.1'],
  ])
  const pgrep = () => run('pgrep', ['-U', String(uid), 'sshd'])
  await until(async () => (await pgrep()).code === 0)
  const [pid = ''] = (await pgrep()).stdout.split('\n')
  t.match(groupOf(pid), `/user.slice/user-${uid}.slice/session-`)
  session.stdin.end()
})

t.test('a package change sets the limits of what runs', async t => {
  const before = await master()
  const path = '/api/v1/accounts/alice/package'
  t.equal((await panel.call('PUT', path, { body: { package: 'large' } })).status, 200)
  t.equal(await show(`user-${uid}.slice`, 'MemoryMax'), String(256 * 2 ** 20))
  t.equal(await show(`user-${uid}.slice`, 'CPUQuotaPerSecUSec'), '1.500000s')
  t.equal((await visit(alice.domain, '/who.php')).status, 200)
  t.not(await master(), before, 'which has read the new file')
})

t.test('PHP goes on without the worker, and comes back when it is killed', async t => {
  const before = await master()
  await worker.kill()
  await panel.startMachineWorker()
  t.equal(await master(), before)
  await run('kill', ['-9', before])
  await until(async () => (await visit(alice.domain, '/who.php')).status === 200)
})

t.test('suspending stops both units and everything of the user', async t => {
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })).status, 200)
  await expectPage(alice.domain, '/who.php', /^503 /)
  t.equal(await show(`panel-php@${uid}.socket`, 'ActiveState'), 'inactive')
  // A service that is stopped while it starts counts as failed; in both states nothing runs.
  t.match(await show(`panel-php@${uid}.service`, 'ActiveState'), /^(inactive|failed)$/)
  t.not((await sftp('alice', alice.password, 'pwd\n')).code, 0)
  t.equal((await run('pgrep', ['-U', String(uid)])).stdout, '')
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  await expectPage(alice.domain, '/who.php', /^200 /)
  t.equal((await sftp('alice', alice.password, 'pwd\n')).code, 0)
})

t.test('nginx that does not run is reported, and served again when it does', async t => {
  await run('systemctl', ['stop', 'nginx'])
  const body = { ...alice, username: 'bob', domain: 'bob.example' }
  const created = await panel.call('POST', '/api/v1/accounts', { body })
  t.match(created, { status: 201 }, created.text)
  const stopped = 'nginx is not running: websites are not served'
  t.ok(created.body.warnings.includes(stopped))
  const reported = async () => (await panel.call('GET', '/api/v1/accounts/alice')).body.warnings
  t.ok((await reported()).includes(stopped), 'of everybody who has a website')
  await run('systemctl', ['start', 'nginx'])
  t.ok(
    await until(async () => !(await reported()).includes(stopped)),
    'and no longer than it is so',
  )
  await expectPage('bob.example', '/', /^200 /)
})

t.test('a rebuild puts right manual changes on the machine', async t => {
  await showRebuild(t, panel, {
    limitsOf: uid => ({
      path: `/etc/systemd/system/user-${uid}.slice.d/50-panel.conf`,
      other: '[Slice]\nMemoryMax=999M\n',
    }),
    shared: ['/etc/systemd/system/panel-php@.service'],
  })
})

t.test('a rebuild opens PHP whose socket is gone or closed', t => showClosedSockets(t, panel))

t.test('terminating leaves no unit and no slice', async t => {
  const gone = await panel.call('DELETE', '/api/v1/accounts/alice')
  t.equal(gone.status, 200, gone.text)
  // The journal keeps its lines, and logind a user for some more seconds. systemd in a container
  // does not always hear that groups of version 1 are empty.
  const others = /^\/(var\/log\/journal|run\/systemd\/users|sys\/fs\/cgroup\/(systemd|unified))\//
  const traces = async () => (await tracesOf('alice', uid)).filter(trace => !others.test(trace))
  await until(async () => (await traces()).length === 0)
  const units = () => run('systemctl', ['list-units', '--no-legend', `*${uid}*`])
  await until(async () => (await units()).stdout === '', 120_000)
  t.ok(existsSync(`/home/.trash/${uid}`))
})
