import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import t from 'tap'
import { apply } from '../../../src/host/apply.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { prepare } from '../../../src/host/shared.ts'
import type { HostAccount } from '../../../src/model/accounts/host-account.ts'
import { until } from '../../support/until.ts'
import { putFile, run, tracesOf, visit, type Output } from '../machine.ts'
import { phpLimits } from '../../support/host/php-limits.ts'

// An account's slice limits what runs as the account, under a real systemd on a kernel that
// enforces it. All values are read from the kernel.

const machine = openMachine({ kind: 'linux', root: '/' })
await prepare(machine)
await run('systemctl', ['start', 'nginx', 'ssh'])

const uid = 20_001
const alice: HostAccount = {
  id: '1',
  uid,
  username: 'alice',
  passwordHash: (await run('openssl', ['passwd', '-6', 'secret'])).stdout.trim(),
  desired: 'active',
  limits: {
    diskMb: 50,
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
const slice = `/sys/fs/cgroup/user.slice/user-${uid}.slice`
const limit = (file: string) => readFileSync(`${slice}/${file}`, 'utf8').trim()
const counted = (file: string, name: string): number =>
  Number(new RegExp(`^${name} ([0-9]+)$`, 'm').exec(limit(file))?.[1])
const groupOf = (pid: string) => readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim()

t.test('PHP runs in the slice, whose memory it may not pass', async t => {
  t.strictSame(await go({}), [], 'there is nothing that this server cannot do')
  const eat = '<?php ini_set("memory_limit", -1); echo strlen(str_repeat("x", 200 << 20));'
  await putFile({ uid }, `${site}/eat.php`, eat)
  await putFile({ uid }, `${site}/who.php`, '<?php echo posix_geteuid();')
  t.equal((await visit('alice.example', '/who.php')).text, String(uid))
  const php = (await run('pgrep', ['-o', '-U', String(uid), 'php-fpm'])).stdout.trim()
  t.equal(groupOf(php), `0::/user.slice/user-${uid}.slice/panel-php@${uid}.service`)
  t.strictSame([limit('memory.max'), limit('pids.max')], [String(64 * 2 ** 20), '200'])
  t.equal((await visit('alice.example', '/eat.php')).status, 502)
  t.ok(counted('memory.events', 'oom_kill') > 0)
  await until(async () => (await visit('alice.example', '/who.php')).status === 200)
})

t.test('the share of CPU is kept', async t => {
  const burn = '<?php $end = microtime(true) + 2; while (microtime(true) < $end); echo "done";'
  await putFile({ uid }, `${site}/burn.php`, burn)
  const [before, begunAt] = [counted('cpu.stat', 'usage_usec'), performance.now()]
  t.equal((await visit('alice.example', '/burn.php')).text, 'done')
  const used = counted('cpu.stat', 'usage_usec') - before
  const share = used / (performance.now() - begunAt) / 1_000
  t.ok(share > 0.05 && share < 0.4, `${share} of a processor was used, where 0.2 may be`)
  t.ok(counted('cpu.stat', 'nr_throttled') > 0)
})

t.test('an SFTP session is in the same slice, with all that it may come to', async t => {
  const lenient = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null']
  const session = spawn('sshpass', ['-p', 'secret', 'sftp', ...lenient, 'alice@127.0.0.1'])
  t.teardown(() => session.kill('SIGKILL'))
  // Such a machine is slow: a session takes ten seconds even without other work.
  const pid = await until(async () => {
    const [first = ''] = (await run('pgrep', ['-U', String(uid), 'sshd'])).stdout.split('\n')
    return first !== '' && first
  }, 120_000)
  const group = groupOf(pid)
  t.match(group, `0::/user.slice/user-${uid}.slice/session-`)
  // A session has no shell, so another program takes its place to exceed the limits.
  const there = (program: string): Promise<Output> => {
    const join = `echo $$ >/sys/fs/cgroup${group.slice('0::'.length)}/cgroup.procs`
    const user = `setpriv --reuid=${uid} --regid=${uid} --clear-groups`
    return run('sh', ['-c', `${join} && exec ${user} perl -e "$1"`, 'sh', program])
  }
  const before = counted('memory.events', 'oom_kill')
  t.not((await there('my $n = 200 << 20; my $x = "x" x $n; print "fed"')).stdout, 'fed')
  t.ok(counted('memory.events', 'oom_kill') > before)
  // Room for as many as possible, which would otherwise share memory and time.
  const room = ['MemoryMax=500M', 'CPUQuota=']
  await run('systemctl', ['set-property', '--runtime', `user-${uid}.slice`, ...room])
  const forks =
    'while (@all < 400) { $p = fork; last if !defined $p; sleep 60, exit if !$p; push @all, $p } ' +
    'kill KILL => @all; print scalar @all'
  const { stdout } = await there(forks)
  t.ok(Number(stdout) > 50 && Number(stdout) < 200, `${stdout} processes besides`)
  await run('pkill', ['-KILL', '-U', String(uid), 'perl'])
  // Until they are gone they count against the limits, and PHP may find no room next to them.
  await until(async () => (await run('pgrep', ['-U', String(uid), 'perl'])).code !== 0)
})

t.test('other limits count for what runs, and after a start of the machine', async t => {
  await go({ limits: { ...alice.limits, memoryMb: 96 } })
  const memory = String(96 * 2 ** 20)
  t.equal(limit('memory.max'), memory)
  // Set until the machine's next start.
  rmSync(`/run/systemd/system.control/user-${uid}.slice.d`, { recursive: true })
  await run('systemctl', ['daemon-reload'])
  const shown = await run('systemctl', ['show', '-P', 'MemoryMax', `user-${uid}.slice`])
  t.equal(shown.stdout.trim(), memory)
  t.equal((await visit('alice.example', '/who.php')).text, String(uid))
})

t.test('terminating leaves neither slice nor unit', async t => {
  await go({ desired: 'terminated' })
  const left = (await tracesOf('alice', uid)).filter(
    trace => !/^\/var\/log\/journal\/|^\/run\/(log|systemd\/users)\//.test(trace),
  )
  t.strictSame(left, [])
})
