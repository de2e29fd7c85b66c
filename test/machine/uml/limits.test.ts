import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { apply } from '../../../src/host/apply.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { prepare } from '../../../src/host/shared.ts'
import { openLimits } from '../../../src/host/accounts/quota.ts'
import { rebuildOf } from '../../../src/host/rebuild.ts'
import { usageOf } from '../../../src/host/usage/usage.ts'
import type { HostAccount } from '../../../src/model/accounts/host-account.ts'
import { until } from '../../support/until.ts'
import { asUser, putFile, run, startServices, tracesOf, visit } from '../machine.ts'
import { phpLimits } from '../../support/host/php-limits.ts'

// Limits that only a kernel with disk quota and control groups of version 2 has.

const machine = openMachine({ kind: 'linux', root: '/' })
await prepare(machine)
startServices('nginx', 'sshd')

const uid = 20_001
const hash = (await run('openssl', ['passwd', '-6', 'secret'])).stdout.trim()
const alice: HostAccount = {
  id: '1',
  uid,
  username: 'alice',
  passwordHash: hash,
  desired: 'active',
  limits: {
    diskMb: 5,
    memoryMb: 64,
    cpuPercent: 20,
    sftp: true,
    databaseConnections: 20,
    ...phpLimits,
    cronIntervalMinutes: 1,
    cronRunMinutes: 720,
    mailsPerHour: 100,
    mailCatchAll: false,
    ...{ backups: 'daily', keepDaily: 7, keepWeekly: 4, keepMonthly: 0 },
  },
  sites: [{ id: '7', domain: 'alice.example' }],
  deleting: [],
  sftpKeys: [],
}
const go = (change: Partial<HostAccount>) =>
  apply(machine, { ...alice, ...change }, (_, work) => work())
const site = '/home/alice/sites/alice.example/public'
const group = `/sys/fs/cgroup/panel/panel-${uid}`
const counted = (file: string, name: string): number =>
  Number(new RegExp(`^${name} ([0-9]+)$`, 'm').exec(readFileSync(`${group}/${file}`, 'utf8'))?.[1])
const write = (megabytes: number) =>
  asUser(uid, ['dd', 'if=/dev/zero', 'of=/home/alice/files/big', 'bs=1M', `count=${megabytes}`])

t.test('past the disk limit nothing is written, and a larger package has room', async t => {
  const warnings = await go({})
  t.notMatch(JSON.stringify(warnings), /quota|not limited/)
  t.match(await write(10), { code: 1, stderr: /Disk quota exceeded/ })
  await go({ limits: { ...alice.limits, diskMb: 20 } })
  t.match(await write(10), { code: 0 })
  // Lowered below what is there: nothing more is written.
  await go({})
  t.match((await asUser(uid, ['tee', '/home/alice/files/more'], 'x'.repeat(9_000))).stderr, /quota/)
  t.equal(await machine.quota.whyNone(), undefined)
  t.equal((await openLimits(machine))?.(alice), false, 'beyond the limit too')
  const larger = { ...alice, limits: { ...alice.limits, diskMb: 6 } }
  t.equal((await openLimits(machine))?.(larger), true)
  await asUser(uid, ['rm', '/home/alice/files/big'])
  const differences = async () => (await rebuildOf(machine).compare(alice)).differed
  t.strictSame(await differences(), [])
  await run('setquota', ['-u', String(uid), '1', '1', '1', '1', '/home'])
  t.strictSame(await differences(), ['the disk limit differs'], 'as a rebuild sees it')
  await go({})
  t.strictSame(await differences(), [])
})

t.test('a quota that counts and does not limit is reported, and is one when it does', async t => {
  await run('quotaoff', ['-u', '/home'])
  // It is not checked again at once, so the message may come later.
  const answer = await until(async () => (await go({})).find(one => /quota/i.test(one.sentence)))
  const off = 'Disk quota is switched off on the file system of /home'
  t.strictSame(answer, {
    code: 'disk_not_limited',
    sentence: `${off}: the disk limit is not enforced`,
  })
  t.equal(await machine.quota.whyNone(), off)
  t.match(await write(10), { code: 0 }, 'which is so')
  await run('quotaon', ['-u', '/home'])
  t.notMatch((await go({})).join(), /quota/i)
  t.equal(await machine.quota.whyNone(), undefined)
  await asUser(uid, ['rm', '/home/alice/files/big'])
  t.match(await write(10), { code: 1 })
  await asUser(uid, ['rm', '/home/alice/files/big'])
})

t.test('PHP past the memory limit is ended, and the website lives on', async t => {
  const eat = '<?php ini_set("memory_limit", -1); echo strlen(str_repeat("x", 200 << 20));'
  await putFile({ uid }, `${site}/eat.php`, eat)
  await putFile({ uid }, `${site}/who.php`, '<?php echo posix_geteuid();')
  t.equal((await visit('alice.example', '/who.php')).text, String(uid))
  t.equal((await visit('alice.example', '/eat.php')).status, 502)
  t.ok(counted('memory.events', 'oom_kill') > 0)
  await until(async () => (await visit('alice.example', '/who.php')).status === 200)
})

t.test('the share of CPU is kept', async t => {
  const burn = '<?php $end = microtime(true) + 2; while (microtime(true) < $end); echo "done";'
  await putFile({ uid }, `${site}/burn.php`, burn)
  const before = counted('cpu.stat', 'nr_throttled')
  const [used, begunAt] = [counted('cpu.stat', 'usage_usec'), performance.now()]
  t.equal((await visit('alice.example', '/burn.php')).text, 'done')
  const share = (counted('cpu.stat', 'usage_usec') - used) / (performance.now() - begunAt) / 1_000
  t.ok(counted('cpu.stat', 'nr_throttled') > before)
  t.ok(share > 0.05 && share < 0.4, `${share} of a processor was used, where 0.2 may be`)
})

t.test('SFTP comes under the same limits', async t => {
  const lenient = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null']
  const session = spawn('sshpass', ['-p', 'secret', 'sftp', ...lenient, 'alice@127.0.0.1'])
  const pid = await until(async () => {
    const [first = ''] = (await run('pgrep', ['-U', String(uid), 'sshd'])).stdout.split('\n')
    return first !== '' && first
  })
  await until(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8') === `0::/panel/panel-${uid}\n`)
  const php = (await run('pgrep', ['-o', '-U', String(uid), 'php-fpm'])).stdout.trim()
  t.equal(readFileSync(`/proc/${php}/cgroup`, 'utf8'), `0::/panel/panel-${uid}\n`)
  session.kill('SIGKILL')
})

t.test('cron jobs are limited within seconds', async t => {
  const eat = 'sleep 4; my $n = 200 << 20; my $x = "x" x $n'
  await run('crontab', ['-u', 'alice', '-'], `MAILTO=""\n@reboot perl -e '${eat}'\n`)
  const before = counted('memory.events', 'oom_kill')
  startServices('cron')
  await until(() => counted('memory.events', 'oom_kill') > before)
  t.equal((await visit('alice.example', '/who.php')).text, String(uid), 'PHP lives on')
})

t.test('terminating leaves neither quota nor group', async t => {
  await go({ desired: 'terminated' })
  t.strictSame(await tracesOf('alice', uid), [])
  const report = (await run('repquota', ['-u', '-n', '/home'])).stdout
  t.match(report, new RegExp(`^#${uid} +-- +[0-9]+ +0 +0 +[0-9]+ +0 +0`, 'm'), 'only the trash')
})

t.test('a link in the place of /home leads to the file system with the quota', async t => {
  const command = 'umount /home && rm -r /home && mkdir /srv/homes && ln -s /srv/homes /home'
  t.equal((await run('sh', ['-c', command])).code, 0)
  t.equal((await run('mount', ['-o', 'usrquota', '/dev/ubda', '/srv/homes'])).code, 0)
  const bob = { ...alice, id: '2', uid: 20_002, username: 'bob', sites: [] }
  const warnings = await apply(machine, bob, (_, work) => work())
  t.notMatch(JSON.stringify(warnings), /quota/i)
  const big = ['dd', 'if=/dev/zero', 'of=/home/bob/files/big', 'bs=1M', 'count=10']
  t.match(await asUser(bob.uid, big), { code: 1, stderr: /Disk quota exceeded/ })
  t.equal(await machine.quota.whyNone(), undefined)
  t.equal((await openLimits(machine))?.(bob), false)
  t.strictSame((await rebuildOf(machine).compare(bob)).differed, [])
  const [used] = await Array.fromAsync(usageOf(machine).measureDisk([bob]))
  t.ok(used![0]!.bytes > 4 * 2 ** 20, `${used![0]!.bytes} bytes`)
  await apply(machine, { ...bob, desired: 'terminated' }, (_, work) => work())
  t.strictSame(await tracesOf('bob', bob.uid), [])
})
