import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { asUser, openLinuxPanel, putFile, run, sftp, startServices, visit } from '../machine.ts'

// Attacks of a home's owner from inside it. Nothing outside the home changes, and the operation in
// progress succeeds.

startServices('nginx', 'sshd', 'cron')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3, memory_mb: 256 } })

// Must not be touched.
mkdirSync('/srv/kept', { mode: 0o777 })
writeFileSync('/srv/kept/file', 'as it was')
const outside = async () => {
  const folders = ['/srv', '/etc/panel', '/etc/nginx', '/etc/ssh', '/var/lib/panel', '/root/.ssh']
  const isOwn = ['!', '-name', 'worker.lock', '!', '-path', '/var/lib/panel/web/*/*']
  const look = ['-printf', '%p %m %u %g %s %l\n']
  return (await run('find', [...folders, ...isOwn, '!', '-name', '*.conf', ...look])).stdout
}

const path = '/api/v1/accounts/eve'
const create = () =>
  panel.call('POST', '/api/v1/accounts', {
    body: { ...alice, username: 'eve', domain: 'eve.example' },
  })
const act = async (verb: 'suspend' | 'unsuspend') => {
  const { status, text } = await panel.call('POST', `${path}/${verb}`, { body: {} })
  if (status !== 200) throw new Error(`${verb}: ${text}`)
}
const uidOf = async (): Promise<number> => {
  const { rows } = await panel.pool.query('select uid from panel.accounts order by id desc limit 1')
  return rows[0].uid
}
const paths = ['', 'sites', 'files', 'tmp', 'logs'].map(name => `/home/eve/${name}`)
// Runs every step again: user, limits, home, PHP, website.
const reapply = async () => {
  const body = { password: 'another horse battery' }
  const { status, text } = await panel.call('PUT', `${path}/password`, { body })
  if (status !== 200) throw new Error(text)
}

t.test('links in the place of what the panel makes', async t => {
  t.equal((await create()).status, 201)
  const uid = await uidOf()
  const before = await outside()
  const as = (...command: string[]) => asUser(uid, command)
  await as('rm', '-rf', '/home/eve/sites/eve.example')
  await as('ln', '-s', '/srv/kept', '/home/eve/sites/eve.example')
  await as('rm', '-rf', '/home/eve/tmp/x')
  for (const name of ['.site-1', '.site-2'])
    await as('ln', '-s', '/srv/kept', `/home/eve/sites/${name}`)
  for (const folder of ['files', 'tmp', 'sites'])
    await as('ln', '-s', '/', `/home/eve/${folder}/root`)
  // The home is root's: what is directly in it can't be replaced.
  t.not((await as('mv', '/home/eve/files', '/home/eve/elsewhere')).code, 0)
  t.not((await as('rmdir', '/home/eve/logs')).code, 0)
  t.not((await as('ln', '-s', '/srv/kept', '/home/eve/more')).code, 0)
  await reapply()
  await act('suspend')
  await act('unsuspend')
  t.equal(await outside(), before)
  t.not((await visit('eve.example', '/file')).text, 'as it was')
  await as('rm', '/home/eve/sites/eve.example')
  await reapply()
  t.ok(statSync('/home/eve/sites/eve.example/public').isDirectory(), 'made again')
  t.equal(await outside(), before)
})

t.test('a home in which nothing can be made does not hold up an operation', async t => {
  const uid = await uidOf()
  await asUser(uid, ['rm', '-rf', '/home/eve/sites/eve.example'])
  await asUser(uid, ['chmod', '555', '/home/eve/sites'])
  await act('suspend')
  await act('unsuspend')
  const { warnings } = (await panel.call('GET', path)).body
  t.match(warnings.join(), /folders of these websites cannot be created: eve\.example/)
  await asUser(uid, ['chmod', '755', '/home/eve/sites'])
  await reapply()
  t.notMatch((await panel.call('GET', path)).body.warnings.join(), /eve\.example/)
})

t.test('names with newlines, and what looks like a sum', async t => {
  const uid = await uidOf()
  const name = '/home/eve/files/a\n999999999\ttotal\nb'
  await putFile({ uid }, name, 'x'.repeat(5_000))
  await asUser(uid, ['mkdir', '-p', `/home/eve/sites/\n; include \/etc/passwd;\n/public`])
  await reapply()
  await panel.pool.query(`select worker_queue.add_job('usage/disk', '{}'::json)`)
  const usage = () => panel.call('GET', `${path}/usage`)
  await until(async () => (await usage()).body.measured_at)
  t.ok((await usage()).body.disk_used_mb < 10, (await usage()).text)
})

t.test('a chroot made writable is closed to logins, and mended by the next operation', async t => {
  await run('chmod', ['777', '/home/eve'])
  t.not((await sftp('eve', 'another horse battery', 'pwd\n')).code, 0)
  await reapply()
  t.equal((await run('stat', ['-c', '%a %u', '/home/eve'])).stdout, '751 0\n')
  t.equal((await sftp('eve', 'another horse battery', 'pwd\n')).code, 0)
})

t.test('a link in a chroot made writable is put aside, and never followed', async t => {
  const uid = await uidOf()
  const before = await outside()
  const etc = (await run('stat', ['-c', '%a %u %g', '/etc', '/srv/kept'])).stdout
  const as = (...command: string[]) => asUser(uid, command)
  await putFile({ uid }, '/home/eve/files/letter', 'dear')
  await run('chmod', ['777', '/home/eve'])
  await as('mv', '/home/eve/files', '/home/eve/f2')
  await as('ln', '-s', '/etc', '/home/eve/files')
  await as('mv', '/home/eve/sites', '/home/eve/s2')
  await as('ln', '-s', '/srv/kept', '/home/eve/sites')
  await as('ln', '-s', '/srv/kept', '/home/eve/.sites')
  await as('rm', '-rf', '/home/eve/tmp')
  await as('touch', '/home/eve/tmp', '/home/eve/.moved-1-tmp')
  await as('mv', '/home/eve/logs', '/home/eve/l2')
  await as('mkfifo', '/home/eve/logs')
  await act('suspend')
  await act('unsuspend')
  t.equal(await outside(), before)
  t.equal((await run('stat', ['-c', '%a %u %g', '/etc', '/srv/kept'])).stdout, etc)
  const own = (await run('stat', ['-c', '%F %a %u', ...paths])).stdout
  const expected = ['751 0', `710 ${uid}`, `750 ${uid}`, `700 ${uid}`, '750 0']
  t.equal(own, expected.map(one => `directory ${one}\n`).join(''))
  t.equal(readlinkSync('/home/eve/.moved-1-files'), '/etc')
  t.ok(existsSync('/home/eve/.moved-2-tmp'))
  t.equal(readFileSync('/home/eve/f2/letter', 'utf8'), 'dear')
  t.ok(statSync('/home/eve/sites/eve.example/public').isDirectory(), 'made again')
  t.equal((await sftp('eve', 'another horse battery', 'pwd\n')).code, 0)
})

t.test('processes of others, and their arguments, cannot be seen', async t => {
  const secret = 'secret-of-another'
  const [own, found] = ['own-process', '/home/eve/files/found']
  const words = ['--reuid=65534', '--', 'sh', '-c', 'sleep 600; :', secret]
  const victim = spawn('setpriv', words, { stdio: 'ignore' })
  t.teardown(() => victim.kill('SIGKILL'))
  const look = `for one in /proc/[0-9]*; do cat $one/cmdline $one/environ; done 2>&1; echo ${own}`
  writeFileSync('/srv/look', `#!/bin/sh\n${look}\n`, { mode: 0o755 })
  t.match((await run('/srv/look', [])).stdout, secret, 'root sees it')
  await run('crontab', ['-u', 'eve', '-'], `* * * * * /srv/look >${found}\n`)
  const uid = await uidOf()
  await putFile(
    { uid },
    '/home/eve/sites/eve.example/public/look.php',
    `<?php
    foreach (glob('/proc/[0-9]*') as $one) echo @file_get_contents("$one/cmdline");
    passthru('/srv/look');`,
  )
  const { text } = await visit('eve.example', '/look.php')
  await until(() => existsSync(found) && readFileSync(found, 'utf8').includes(own), 90_000)
  for (const seen of [text, readFileSync(found, 'utf8')]) {
    t.match(seen, own)
    t.notMatch(seen, secret)
  }
  const output = (await sftp('eve', 'another horse battery', 'ls /proc\n')).stderr
  t.match(output, /"\/proc" not found/)
})

t.test('processes that respawn, of cron and under other names', async t => {
  const uid = await uidOf()
  await run('crontab', ['-u', 'eve', '-'], '* * * * * sleep 1000\n')
  for (const verb of ['suspend', 'unsuspend'] as const) {
    if (verb === 'suspend') startRespawning(uid)
    await act(verb)
    if (verb === 'suspend') t.equal((await run('pgrep', ['-U', String(uid)])).stdout, '')
  }
})

t.test('a million files and a respawning process do not hold up a terminate', async t => {
  const uid = await uidOf()
  t.equal((await run('perl', ['-e', manyFiles, String(uid)])).code, 0)
  await asUser(uid, ['ln', '-s', '/srv/kept', '/tmp/planted'])
  await asUser(uid, ['ln', '-s', '/srv/kept', '/home/eve/files/link'])
  startRespawning(uid)
  startGivingJobs(uid)
  for (const folder of ['/run/lock', '/var/lib/php/sessions'])
    await asUser(uid, ['touch', `${folder}/planted`])
  const gone = await panel.call('DELETE', path)
  t.equal(gone.status, 200, gone.text)
  const folders = ['/var/spool/cron', '/run/lock', '/var/lib/php']
  t.equal((await run('find', [...folders, '-uid', String(uid)])).stdout, '')
  t.equal((await run('pgrep', ['-U', String(uid)])).stdout, '')
  t.notOk(existsSync('/tmp/planted'))
  t.equal(readFileSync('/srv/kept/file', 'utf8'), 'as it was')
  t.not(
    (await asUser(uid, ['ls', `/home/.trash/${uid}/files`])).code,
    0,
    'no user enters the trash',
  )
})

t.test('a number that is another user’s is refused, and left alone', async t => {
  const { rows } = await panel.pool.query(`select last_value from panel.uids`)
  const next = Number(rows[0].last_value) + 1
  await run('useradd', ['-M', '-u', String(next), 'outsider'])
  const theirs = spawn('setpriv', [`--reuid=${next}`, '--clear-groups', 'sleep', '1000'])
  const body = { ...alice, username: 'dave', domain: 'dave.example' }
  t.equal((await panel.call('POST', '/api/v1/accounts', { key: 'dave', body })).status, 500)
  const operations = await panel.pool.query(
    `select error from panel.operations where username = 'dave'`,
  )
  t.match(operations.rows[0].error, `The user number ${next} belongs to outsider on this server`)
  t.equal((await run('pgrep', ['-U', String(next)])).stdout, `${theirs.pid}\n`)
  const again = await panel.call('POST', '/api/v1/accounts', { key: 'dave', body })
  t.equal(again.status, 201, again.text)
  theirs.kill('SIGKILL')
})

// Written by root, without a memory limit, because files are in memory here.
const manyFiles =
  'chdir "/home/eve/files"; for (1..1000000) { open(my $f, ">", $_); chown $ARGV[0], $ARGV[0], $f }'

/** Creates cron jobs again and again. */
function startGivingJobs(uid: number): void {
  writeFileSync('/tmp/jobs', '* * * * * true\n')
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  const loop = ['sh', '-c', 'while :; do crontab /tmp/jobs; done']
  for (let count = 0; count < 3; count++) {
    spawn('setpriv', [...user, ...loop], { detached: true, stdio: 'ignore' })
  }
}

/**
 * Two chains of processes, named like PHP, that each start the next and end at once, so that no
 * listing finds them alive; and one that ends whatever else runs as the user.
 */
function startRespawning(uid: number): void {
  const killers =
    'while (1) { for (grep { -o "/proc/$_" && !/^$$\$/ } map { m|(\\d+)| } ' +
    '</proc/[0-9]*>) { my $name = ""; open(F, "/proc/$_/comm") and $name = <F>; ' +
    'kill 9, $_ if $name =~ /^(kill|setpriv|php-fpm8)/ } }'
  const chain = '$0 = "php-fpm: pool"; while (1) { my $next = fork; exit if $next; }'
  const user = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  for (const program of [chain, chain, killers]) {
    spawn('setpriv', [...user, 'perl', '-e', program], { detached: true, stdio: 'ignore' })
  }
}
