import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { jobs, makeAtFolders, plantJob } from '../fixtures/at-jobs.ts'
import {
  addSftpKey,
  asUser,
  isOwnGroup,
  openLinuxPanel,
  putFile,
  run,
  sftp,
  sftpByKey,
  startServices,
  tracesOf,
  expectPage,
  visit,
} from '../machine.ts'

// The life of an account through the API, as visitors and owner see it: with real nginx, PHP, sshd
// and cron, and the panel's own worker.

// As images of cloud providers have it.
writeFileSync('/etc/ssh/sshd_config.d/50-cloud-init.conf', 'PasswordAuthentication no\n')
startServices('nginx', 'sshd', 'cron')
const panel = await openLinuxPanel(t)
let worker = await panel.startMachineWorker()
const { password } = alice
const accounts = '/api/v1/accounts'
const site = `/home/alice/sites/${alice.domain}/public`
let uid = 0

t.test('a created account has a website, run as the account itself', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', {
    body: { memory_mb: 128, cpu_percent: 50, max_sites: 3 },
  })
  await panel.call('PUT', '/api/v1/packages/closed', { body: { sftp: false, memory_mb: 256 } })
  const created = await panel.call('POST', accounts, { body: alice })
  t.equal(created.status, 201, created.text)
  t.match(created.body.warnings, [/has no disk quota/, /systemd is not running/])
  const { rows } = await panel.pool.query('select uid from panel.accounts')
  uid = rows[0].uid
  await expectPage(alice.domain, '/', /^200 .*This website is ready/s)
  await putFile({ uid }, `${site}/who.php`, '<?php echo posix_geteuid(), " ", __DIR__;')
  t.strictSame(await visit(alice.domain, '/who.php'), { status: 200, text: `${uid} ${site}` })
  t.match(await visit(`www.${alice.domain}`, '/who.php'), { status: 200 })
  t.equal((await visit('unknown.example')).status, 421)
})

t.test('PHP cannot read what is not its own, nor nginx follow a link there', async t => {
  await putFile({ uid }, `${site}/read.php`, '<?php echo file_get_contents($_GET["f"]);')
  t.notMatch((await visit(alice.domain, '/read.php?f=/etc/passwd')).text, /root:/)
  await asUser(uid, ['ln', '-s', '/etc/passwd', `${site}/passwd.txt`])
  t.equal((await visit(alice.domain, '/passwd.txt')).status, 404)
  const socket = `/run/panel/php/${uid}.sock`
  const stat = (await run('stat', ['-c', '%a %U', socket])).stdout
  t.equal(stat, '600 panel-web\n')
})

t.test('the password opens the home by SFTP and nothing beyond it', async t => {
  writeFileSync('/tmp/letter', 'dear')
  const inside = await sftp('alice', password, 'pwd\nput /tmp/letter letter\nls -1 /\n')
  t.match(inside, { code: 0, stdout: /Remote working directory: \/files\n/ }, inside.stderr)
  t.match(inside.stdout, /files\n.*logs\n.*sites\n.*tmp\n/s)
  t.equal(readFileSync('/home/alice/files/letter', 'utf8'), 'dear')
  await asUser(uid, ['ln', '-s', '/', '/home/alice/files/out'])
  for (const commands of [
    'get ../../../etc/passwd /tmp/stolen',
    'get /etc/passwd /tmp/stolen',
    'get /files/out/etc/passwd /tmp/stolen',
    'put /tmp/letter /letter',
    'rename /files /elsewhere',
    'chmod 777 /',
  ]) {
    t.not((await sftp('alice', password, `${commands}\n`)).code, 0, commands)
  }
  t.notOk(existsSync('/tmp/stolen'))
  t.not((await sftp('alice', 'wrong', 'ls\n')).code, 0)
})

t.test('there is no shell and no tunnel', async t => {
  const lenient = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null']
  const ssh = (...args: string[]) =>
    run('sshpass', ['-p', password, 'timeout', '5', 'ssh', ...lenient, ...args])
  t.notMatch((await ssh('alice@127.0.0.1', 'id')).stdout, /uid=/)
  t.notMatch((await ssh('-W', '127.0.0.1:80', 'alice@127.0.0.1')).stdout, /HTTP/)
})

t.test('limits stand in the kernel', async t => {
  const groups = (await run('find', ['/sys/fs/cgroup', '-name', `panel-${uid}`])).stdout
  const folders = groups.trim().split('\n').filter(isOwnGroup)
  const value = (file: string) => {
    const folder = folders.find(one => existsSync(`${one}/${file}`))
    return folder === undefined ? undefined : readFileSync(`${folder}/${file}`, 'utf8').trim()
  }
  t.equal(value('memory.limit_in_bytes'), String(128 * 2 ** 20))
  t.equal(value('cpu.cfs_quota_us'), '50000')
  t.equal(value('pids.max'), '200')
  const master = (await run('pgrep', ['-U', String(uid), '-f', 'php-fpm: master'])).stdout.trim()
  const own = readFileSync(`/proc/${master}/cgroup`, 'utf8').split('\n')
  t.equal(own.filter(line => line.endsWith(`/panel-${uid}`)).length, 3)
})

t.test('a change that is none of PHP’s disturbs no request', async t => {
  await putFile({ uid }, `${site}/slow.php`, '<?php sleep(4); echo "at last";')
  const ended: string[] = []
  const slow = visit(alice.domain, '/slow.php').then(({ text }) => ended.push(text))
  await until(async () => (await run('pgrep', ['-U', String(uid), '-f', 'pool'])).code === 0)
  const body = { password: 'another horse battery' }
  t.equal((await panel.call('PUT', `${accounts}/alice/password`, { body })).status, 200)
  t.equal((await visit(alice.domain, '/who.php')).status, 200)
  ended.push('short')
  await slow
  t.strictSame(ended, ['short', 'at last'])
  await panel.call('PUT', `${accounts}/alice/password`, { body: { password } })
})

t.test('PHP’s messages are in the log of its account, of which a flood is cut', async t => {
  const log = '/home/alice/logs/php.log'
  const say = `<?php for ($i = 0; $i < $_GET['times']; $i++) error_log(str_repeat('x', 1000));
    file_put_contents('php://stderr', "by stderr\\n");`
  await putFile({ uid }, `${site}/say.php`, say)
  await visit(alice.domain, '/say.php?times=2000')
  await until(async () => {
    await visit(alice.domain, '/say.php?times=0')
    return existsSync(`${log}.1`) && readFileSync(log, 'utf8').includes('by stderr')
  })
  t.match(statSync(log), { uid, gid: uid })
})

t.test('PHP past its memory is ended and the website lives on', async t => {
  const eat = '<?php ini_set("memory_limit", -1); $x = str_repeat("x", 300 << 20); echo "fed";'
  await putFile({ uid }, `${site}/eat.php`, eat)
  t.equal((await visit(alice.domain, '/eat.php')).status, 502)
  t.equal((await visit(alice.domain, '/who.php')).status, 200)
})

t.test(
  'PHP goes on without the worker, which takes it over and starts what is missing',
  async t => {
    const master = async () =>
      (await run('pgrep', ['-U', String(uid), '-f', 'php-fpm: master'])).stdout.trim()
    const before = await master()
    await worker.kill()
    t.equal((await visit(alice.domain, '/who.php')).status, 200)
    worker = await panel.startMachineWorker()
    t.equal(await master(), before)
    await run('kill', ['-9', before])
    await until(async () => (await visit(alice.domain, '/who.php')).status === 200)
    t.not(await master(), before)
  },
)

t.test('suspending closes every channel and ends what came through them', async t => {
  await addSftpKey(panel, 'alice', '/tmp/key')
  t.match(await sftpByKey('alice', '/tmp/key', 'pwd\n'), { code: 0 })
  const cron = await run('crontab', ['-u', 'alice', '-'], '* * * * * sleep 1000\n')
  t.equal(cron.code, 0, cron.stderr)
  makeAtFolders()
  plantJob(uid, 'a0000101c3b2a4')

  const session = spawn('sshpass', [
    ...['-p', password, 'sftp', '-o', 'StrictHostKeyChecking=no'],
    ...['-o', 'UserKnownHostsFile=/dev/null', 'alice@127.0.0.1'],
  ])
  const ended = once(session, 'exit')
  await until(async () => (await run('pgrep', ['-U', String(uid), 'sshd'])).code === 0)
  spawn('setpriv', [`--reuid=${uid}`, '--clear-groups', 'sleep', '1000'], { detached: true })

  const body = { reason: 'unpaid' }
  const suspended = await panel.call('POST', `${accounts}/alice/suspend`, { body })
  t.equal(suspended.status, 200, suspended.text)
  await expectPage(alice.domain, '/', /^503 .*not available/s)
  t.equal((await visit(alice.domain, '/who.php')).status, 503)
  // The session ends at its next command.
  session.stdin.end('ls\n')
  t.not((await ended)[0], 0)
  t.equal((await run('pgrep', ['-U', String(uid)])).stdout, '')
  t.not((await sftp('alice', password, 'pwd\n')).code, 0)
  t.not((await sftpByKey('alice', '/tmp/key', 'pwd\n')).code, 0)
  t.not((await run('crontab', ['-u', 'alice', '-l'])).code, 0)
  t.strictSame(readdirSync(jobs), [`.panel-${uid}-a0000101c3b2a4`])
})

t.test('a password set meanwhile does not open it; unsuspending restores it exactly', async t => {
  const next = 'another horse battery'
  const path = `${accounts}/alice/password`
  t.equal((await panel.call('PUT', path, { body: { password: next } })).status, 200)
  t.not((await sftp('alice', next, 'pwd\n')).code, 0)
  t.equal((await panel.call('POST', `${accounts}/alice/unsuspend`)).status, 200)
  await expectPage(alice.domain, '/who.php', new RegExp(`^200 ${uid} `))
  t.equal((await sftp('alice', next, 'get letter /tmp/back\n')).code, 0)
  t.not((await sftp('alice', password, 'pwd\n')).code, 0)
  t.equal((await sftpByKey('alice', '/tmp/key', 'pwd\n')).code, 0)
  t.match(await run('crontab', ['-u', 'alice', '-l']), { stdout: '* * * * * sleep 1000\n' })
  t.strictSame(readdirSync(jobs), ['a0000101c3b2a4'])
})

t.test('a package change moves the limits and closes SFTP while the website runs', async t => {
  const before = (await run('pgrep', ['-U', String(uid), '-f', 'php-fpm: master'])).stdout
  const body = { package: 'closed' }
  const changed = await panel.call('PUT', `${accounts}/alice/package`, { body })
  t.equal(changed.status, 200, changed.text)
  const found = ['/sys/fs/cgroup/memory', '-path', `*/panel-${uid}/memory.limit_in_bytes`]
  const [memory] = (await run('find', found)).stdout.split('\n').filter(isOwnGroup)
  t.equal(readFileSync(memory!, 'utf8').trim(), String(256 * 2 ** 20))
  t.equal((await visit(alice.domain, '/who.php')).status, 200)
  const after = (await run('pgrep', ['-U', String(uid), '-f', 'php-fpm: master'])).stdout
  t.equal(after, before, 'the same master')
  t.not((await sftp('alice', 'another horse battery', 'pwd\n')).code, 0)
  t.not((await sftpByKey('alice', '/tmp/key', 'pwd\n')).code, 0)
  // Without a shell a session may still ask for a tunnel.
  const args = ['-i', '/tmp/key', '-o', 'StrictHostKeyChecking=no', '-W', '127.0.0.1:80']
  t.match(await run('ssh', [...args, 'alice@127.0.0.1']), { stderr: /Permission denied/ })
})

t.test('memory that is in use is not taken away, and is when it is free', async t => {
  const hold = '<?php ini_set("memory_limit", -1); $x = str_repeat("x", 150 << 20); sleep(60);'
  await putFile({ uid }, `${site}/hold.php`, hold)
  const holding = visit(alice.domain, '/hold.php').catch(() => undefined)
  const found = ['/sys/fs/cgroup/memory', '-path', `*/panel-${uid}/memory.limit_in_bytes`]
  const [limit = ''] = (await run('find', found)).stdout.split('\n').filter(isOwnGroup)
  const inUse = limit.replace('limit_in_bytes', 'usage_in_bytes')
  await until(() => Number(readFileSync(inUse, 'utf8')) > 150 << 20)
  await panel.call('PUT', '/api/v1/packages/small', { body: { memory_mb: 64 } })
  const body = { package: 'small' }
  const changed = await panel.call('PUT', `${accounts}/alice/package`, { body })
  t.equal(changed.status, 200, changed.text)
  t.match(changed.body.warnings.join(), /the memory limit was not lowered/)
  t.equal(readFileSync(limit, 'utf8').trim(), String(256 * 2 ** 20))
  await run('pkill', ['-U', String(uid), '-f', 'php-fpm: pool'])
  await holding
  const set = { body: { password: 'another horse battery' } }
  const again = await panel.call('PUT', `${accounts}/alice/password`, set)
  t.notMatch(again.body.warnings.join(), /memory limit was not lowered/)
  t.equal(readFileSync(limit, 'utf8').trim(), String(64 * 2 ** 20))
})

t.test('terminating leaves nothing outside the trash', async t => {
  await asUser(uid, ['mkdir', '/tmp/orphan', '/var/tmp/orphan'])
  await asUser(uid, ['touch', '/dev/shm/orphan', '/tmp/orphan/file'])
  await asUser(uid, ['mkdir', '-p', '/tmp/shut/read-only/shut/folder'])
  await asUser(uid, ['chmod', '0', '/tmp/shut/read-only/shut'])
  await asUser(uid, ['chmod', '500', '/tmp/shut/read-only'])
  await asUser(uid, ['chmod', '0', '/tmp/shut'])
  // Only root can list that folder.
  await asUser(uid, ['mkdir', '-p', '/var/lib/php/sessions/orphan/folder'])
  mkdirSync('/dev/mqueue', { recursive: true })
  t.equal((await run('mount', ['-t', 'mqueue', 'mqueue', '/dev/mqueue'])).code, 0)
  await asUser(uid, ['touch', '/dev/mqueue/orphan'])
  const shared = 'for (1 .. 3) { shmget(0, 65536, 01600); semget(0, 2, 01600); msgget(0, 01600) }'
  await asUser(uid, ['perl', '-e', shared])
  const away = 'my $id = shmget(0, 4096, 01600); shmctl($id, 1, pack("i L4 x200", 0, 33, 33, 0, 0))'
  await asUser(uid, ['perl', '-e', away])
  await run('tee', ['/var/mail/alice'], 'a mail of cron')
  mkdirSync('/var/lib/systemd/linger', { recursive: true })
  writeFileSync('/var/lib/systemd/linger/alice', '')
  const own = (await tracesOf('alice', uid)).filter(line => /^( +-?[0-9]+){4} /.test(line))
  t.equal(own.length, 10, 'all of it is seen')
  const terminated = await panel.call('DELETE', `${accounts}/alice`)
  t.equal(terminated.status, 200, terminated.text)
  await expectPage(alice.domain, '/', /^421 /)
  t.strictSame(await tracesOf('alice', uid), [])
  t.ok(existsSync(`/home/.trash/${uid}/files/letter`))
  t.equal((await run('stat', ['-c', '%a %U', '/home/.trash'])).stdout, '700 root\n')
})

t.test('the name is free at once, for another customer', async t => {
  const again = await panel.call('POST', accounts, { body: alice })
  t.equal(again.status, 201, again.text)
  await expectPage(alice.domain, '/', /^200 .*This website is ready/s)
  t.notOk(existsSync('/home/alice/files/letter'))
})

t.test('the trash is emptied when its time is over, of all that can go', async t => {
  t.equal((await panel.call('DELETE', `${accounts}/alice`)).status, 200)
  const { rows } = await panel.pool.query(
    `update panel.accounts set terminated_at = terminated_at - interval '1 year'
     where username = 'alice' returning uid`,
  )
  const paths = rows.map(row => `/home/.trash/${row.uid}`)
  t.strictSame(
    paths.map(folder => existsSync(folder)),
    [true, true],
  )
  // A mount, such as administrators make, keeps the first one from being deleted.
  const mount = `/home/.trash/${uid}/files`
  await run('mount', ['-t', 'tmpfs', 'tmpfs', mount])
  const empty = () =>
    panel.pool.query(`select worker_queue.add_job('maintenance/empty-trash', '{}'::json)`)
  await empty()
  t.ok(await until(() => paths.filter(folder => existsSync(folder)).length === 1))
  t.ok(existsSync(mount))
  await run('umount', [mount])
  await empty()
  t.ok(await until(() => !paths.some(folder => existsSync(folder))))
})
