import { chmodSync, existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { apply } from '../../src/host/apply.ts'
import { takeSnapshot } from '../../src/host/drift.ts'
import { inShort } from '../../src/host/tools/file-drift.ts'
import type { HostAccount } from '../../src/model/accounts/host-account.ts'
import type { PhpSettings } from '../../src/model/sites/php-settings.ts'
import { alice, sandbox, straight, tree } from '../support/host/sandbox.ts'

const uid = alice.uid
const folder = `/etc/panel/php/${uid}/7`
const socketLink = '/var/lib/panel/web/live/0000000007/php.sock'
const withPhp = (php: PhpSettings): HostAccount => ({
  ...alice,
  sites: [
    { id: '7', domain: 'alice.example', settings: { php } },
    { id: '9', domain: 'other.example' },
  ],
})
const plain: HostAccount = {
  ...alice,
  sites: withPhp({}).sites.map(({ settings: _, ...site }) => site),
}

/** A sandbox with these versions, each with the extensions gd (on) and xdebug (off). */
async function withVersions(t: Test, ...versions: string[]) {
  const found = await sandbox(t)
  const { machine, standIn } = found
  mkdirSync(machine.path('/usr/sbin'), { recursive: true })
  for (const version of versions) {
    const program = machine.path(`/usr/sbin/php-fpm${version}`)
    writeFileSync(program, '')
    chmodSync(program, 0o755)
    const etc = machine.path(`/etc/php/${version}`)
    mkdirSync(`${etc}/fpm/conf.d`, { recursive: true })
    mkdirSync(`${etc}/mods-available`, { recursive: true })
    writeFileSync(`${etc}/mods-available/gd.ini`, '; priority=20\nextension=gd.so\n')
    writeFileSync(`${etc}/mods-available/xdebug.ini`, '; priority=30\nzend_extension=xdebug.so\n')
    writeFileSync(`${etc}/fpm/conf.d/20-gd.ini`, '')
    standIn(`php-fpm${version}`)
  }
  standIn('systemctl')
  const driftOf = async (account: HostAccount) => {
    const drift = (await takeSnapshot(machine)).driftOf(account)
    return [...drift.values()].flat().map(inShort)
  }
  return { ...found, driftOf }
}

t.test('a website with settings has a PHP of its own, and no other changes', async t => {
  const { machine, root, calls, driftOf } = await withVersions(t, '8.1', '8.2')
  await apply(machine, plain, straight)
  const before = tree(root)
  calls()
  const account = withPhp({ version: '8.1', memory_limit_mb: 64 })
  t.not((await driftOf(account)).length, 0)
  t.strictSame(await apply(machine, account, straight), [])
  t.strictSame(await driftOf(account), [])
  t.strictSame(
    calls().filter(call => !call.startsWith('systemctl set-property')),
    [
      // A stand-in may answer differently each time.
      'php-fpm8.2 -t -y /run/panel/php/20001.test',
      'systemctl start -- panel-php@20001.socket',
      'php-fpm8.1 -t -y /run/panel/php/20001-7.test',
      'systemctl start -- panel-php@20001-7.socket',
    ],
  )
  t.equal(readlinkSync(machine.path(`${folder}/php-fpm`)), '/usr/sbin/php-fpm8.1')
  t.equal(readlinkSync(machine.path(`${folder}/conf.d`)), '/etc/php/8.1/fpm/conf.d')
  t.equal(readlinkSync(machine.path(socketLink)), '/run/panel/php/20001-7.sock')
  const after = tree(root)
  const changed = Object.keys({ ...before, ...after }).filter(path => before[path] !== after[path])
  t.strictSame(
    changed.sort(),
    [
      ...['', '/conf.d', '/php-fpm', '/pool.conf'].map(name => `etc/panel/php/20001/7${name}`),
      'etc/panel/php/20001',
      'etc/systemd/system/panel-php@20001-7.service.d',
      'etc/systemd/system/panel-php@20001-7.service.d/50-panel.conf',
      'etc/systemd/system/sockets.target.wants/panel-php@20001-7.socket',
      'var/lib/panel/web/live/0000000007/php.sock',
    ].sort(),
  )
  t.match(after['etc/panel/php/20001/7/pool.conf'], /^php_value\[memory_limit\] = 64M$/m)
  t.match(after['etc/panel/php/20001/7/pool.conf'], '[20001-7]\nlisten = /run/panel/php/20001-7')
  // Back to its account's, without a trace.
  await apply(machine, plain, straight)
  t.strictSame(tree(root), before)
})

t.test('its former PHP goes once nginx uses the other one', async t => {
  const { machine, calls } = await withVersions(t, '8.2')
  await apply(machine, withPhp({ version: '8.2' }), straight)
  calls()
  const steps: string[] = []
  await apply(machine, plain, (step, run) => {
    steps.push(step)
    return run()
  })
  t.equal(steps.at(-1), 'remove former PHP')
  const stopped = 'systemctl stop -- panel-php@20001-7.socket panel-php@20001-7.service'
  t.ok(calls().includes(stopped))
  t.notOk(existsSync(machine.path('/etc/panel/php/20001')))
})

t.test('a change of version or settings has only this PHP read its files', async t => {
  const { machine, calls } = await withVersions(t, '8.1', '8.2')
  const group = `/sys/fs/cgroup/systemd/user.slice/user-${uid}.slice/panel-php@${uid}-7.service`
  mkdirSync(machine.path(group), { recursive: true })
  await apply(machine, withPhp({ version: '8.1' }), straight)
  writeFileSync(machine.path(`${group}/cgroup.procs`), '1\n')
  for (const php of [{ version: '8.2' }, { version: '8.2', timezone: 'Europe/Berlin' }, {}]) {
    calls()
    await apply(machine, withPhp(php), straight)
    const signals = calls().filter(call => call.startsWith('systemctl kill'))
    const kill = 'systemctl kill --kill-whom=main --signal=SIGQUIT --'
    t.strictSame(signals, [`${kill} panel-php@20001-7.service`], JSON.stringify(php))
  }
})

t.test('extensions are switched on and off, and follow what is installed', async t => {
  const { machine, driftOf } = await withVersions(t, '8.2')
  const conf = machine.path(`${folder}/conf.d`)
  const account = withPhp({ version: '8.2', extensions: { gd: false, xdebug: true, none: true } })
  await apply(machine, account, straight)
  t.strictSame(readdirSync(conf), ['30-xdebug.ini'])
  t.equal(readlinkSync(`${conf}/30-xdebug.ini`), '/etc/php/8.2/mods-available/xdebug.ini')
  writeFileSync(machine.path('/etc/php/8.2/fpm/conf.d/20-zip.ini'), '')
  t.strictSame(await driftOf(account), [`${folder}/conf.d/20-zip.ini was missing`])
  writeFileSync(`${conf}/99-hostile.ini`, '')
  await apply(machine, account, straight)
  t.strictSame(readdirSync(conf), ['20-zip.ini', '30-xdebug.ini'])
  await apply(machine, withPhp({ version: '8.2' }), straight)
  t.equal(readlinkSync(conf), '/etc/php/8.2/fpm/conf.d')
})

t.test('a version that is not installed is a warning, and the rest goes on', async t => {
  const { machine, driftOf } = await withVersions(t, '8.2')
  const account = withPhp({ version: '8.1' })
  const [warning, ...others] = await apply(machine, account, straight)
  t.strictSame(others, [])
  t.match(warning, { code: 'php_version_missing', sentence: /alice\.example \(PHP 8\.1\)$/ })
  t.ok(existsSync(machine.path('/var/lib/panel/web/live/0000000007/no-php')))
  t.strictSame(await driftOf(account), [])
  await apply(machine, withPhp({ version: '8.2' }), straight)
  t.notOk(existsSync(machine.path('/var/lib/panel/web/live/0000000007/no-php')))
})

t.test('a suspended account runs none of it, and a terminated one has none', async t => {
  const { machine, root, driftOf, calls } = await withVersions(t, '8.2')
  const account = withPhp({ version: '8.2' })
  await apply(machine, account, straight)
  const suspended: HostAccount = { ...account, desired: 'suspended' }
  calls()
  await apply(machine, suspended, straight)
  t.ok(calls()[0]?.endsWith('panel-php@20001-7.socket panel-php@20001-7.service'))
  t.strictSame(await driftOf(suspended), [])
  t.strictSame(readdirSync(machine.path('/etc/systemd/system/sockets.target.wants')), [])
  await apply(machine, account, straight)
  t.strictSame(await driftOf(account), [])
  await apply(machine, { ...account, desired: 'terminated' }, straight)
  t.strictSame(
    Object.keys(tree(root)).filter(path => /20001/.test(path) && !/trash/.test(path)),
    [],
  )
})

t.test('a changed drop-in is written again and read', async t => {
  const { machine, calls, driftOf } = await withVersions(t, '8.2')
  await apply(machine, withPhp({ version: '8.2' }), straight)
  const dropIn = '/etc/systemd/system/panel-php@20001-7.service.d/50-panel.conf'
  writeFileSync(machine.path(dropIn), '[Service]\nUser=root\n')
  t.strictSame(await driftOf(withPhp({ version: '8.2' })), [`${dropIn} was different`])
  calls()
  await apply(machine, withPhp({ version: '8.2' }), straight)
  t.ok(calls().includes('systemctl daemon-reload'))
})
