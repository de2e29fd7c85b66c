import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import t, { type Test } from 'tap'
import { parseRoom } from '../../src/host/accounts/linux-quota.ts'
import { apply } from '../../src/host/apply.ts'
import { readSiteLog } from '../../src/host/web/read-site-log.ts'
import { logNameOf, maxBytes, siteLogsOf, writeSiteLogs } from '../../src/host/web/site-logs.ts'
import { alice, sandbox, straight } from '../support/host/sandbox.ts'

// The worker writes the logs of websites into files that are their accounts' own.

const site = alice.sites[0]!
const account = { uid: alice.uid, username: alice.username, sites: [site] }
const [path, former] = siteLogsOf(alice.username, site.domain, 'access')

async function open(t: Test) {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const write = (access: string, errors = '', sites = account.sites) =>
    writeSiteLogs(machine, [{ site: site.id, access, errors }], [{ ...account, sites }])
  const read = (at = path) => fs.readFileSync(machine.path(at), 'utf8')
  return { machine, write, read, at: machine.path }
}

t.test('lines are added, and a large log is rotated once', async t => {
  const { write, read, at } = await open(t)
  await write('one\n', 'an error\n')
  await write('two\n')
  t.equal(read(), 'one\ntwo\n')
  t.equal(read(siteLogsOf(alice.username, site.domain, 'error')[0]), 'an error\n')
  t.equal(fs.statSync(at(path)).mode & 0o777, 0o600)
  const most = maxBytes('access', 1)
  fs.truncateSync(at(path), most - 3)
  await write('three\n')
  t.equal(read(), 'three\n')
  t.equal(fs.statSync(at(former)).size, most - 3)
  await write(`${'x'.repeat(99)}\n`.repeat(most / 50))
  t.ok(fs.statSync(at(path)).size <= most)
  t.match(read(), /^three\nx{99}\n/, 'whole lines')
})

t.test('logs of many websites, and of former ones, stay within the limit', async t => {
  for (const count of [1, 2, 9, 40, 1_000]) {
    const total = 2 * count * (maxBytes('access', count) + maxBytes('error', count))
    t.ok(total <= 96_000_000, String(count))
  }
  const { write, at } = await open(t)
  await write('one\n')
  const logs = at(`/home/${alice.username}/logs`)
  fs.writeFileSync(`${logs}/former.example.access.log`, 'x')
  fs.writeFileSync(`${logs}/former.example.error.log.1`, 'x')
  fs.truncateSync(at(path), 9_000_000)
  fs.writeFileSync(at(former), '')
  fs.truncateSync(at(former), 9_000_000)
  const more = Array.from({ length: 99 }, (_, index) => ({
    ...site,
    id: String(index + 1_000),
    domain: `s${index}.example`,
  }))
  await write('two\n', '', [site, ...more])
  t.notOk(fs.existsSync(`${logs}/former.example.access.log`))
  t.notOk(fs.existsSync(`${logs}/former.example.error.log.1`))
  t.ok(fs.existsSync(`${logs}/php.log`))
  await write('three\n', '', [site, ...more])
  t.equal(fs.readFileSync(at(path), 'utf8'), 'two\nthree\n')
  t.notOk(fs.existsSync(at(former)), 'it was too large')
  t.ok(logNameOf('a'.repeat(253)).length < 230)
  t.not(logNameOf(`${'a'.repeat(250)}b`), logNameOf(`${'a'.repeat(250)}c`))
})

t.test('links and folders of an account lead the worker to no other file', async t => {
  const { machine, write, read, at } = await open(t)
  const target = at('/etc/target')
  fs.writeFileSync(target, 'of root')
  for (const plant of [
    () => fs.symlinkSync(target, at(path)),
    () => fs.symlinkSync(target, at(former)),
    () => fs.symlinkSync('/nowhere', at(`${path}.new`)),
    () => fs.mkdirSync(`${at(former)}/deep`, { recursive: true }),
  ]) {
    for (const one of [path, former, `${path}.new`]) {
      fs.rmSync(at(one), { force: true, recursive: true })
    }
    plant()
    await write('one\n')
    t.equal(read(), 'one\n')
    t.equal(fs.readFileSync(target, 'utf8'), 'of root')
  }
  fs.rmSync(at(path))
  fs.symlinkSync(target, at(path))
  const chosen = { kind: 'access' as const, filter: '', count: 9 }
  t.strictSame(readSiteLog(machine, alice, site.domain, chosen), ['one'].slice(1))
})

t.test('a lease on a log holds up nothing', async t => {
  const { machine, write, read, at } = await open(t)
  await write('one\n')
  const hold =
    '$SIG{IO} = "IGNORE"; open my $file, "+<", $ARGV[0] or die; ' +
    'fcntl $file, 1024, 1 or die "no lease: $!"; $| = 1; print "held"; <STDIN>'
  const holder = spawn('perl', ['-e', hold, at(path)], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  const begunAt = performance.now()
  await write('two\n', 'error\n')
  const chosen = { kind: 'access' as const, filter: '', count: 9 }
  t.strictSame(readSiteLog(machine, alice, site.domain, chosen), [])
  t.ok(performance.now() - begunAt < 5_000, 'it did not wait')
  holder.stdin.end()
  await once(holder, 'exit')
  await write('three\n')
  t.equal(read(), 'one\nthree\n')
})

t.test('an account without room gets no lines, and a missing home stops no other', async t => {
  const { machine, write, at } = await open(t)
  const report = `#${alice.uid} -- 1000 1024 1024 3 110 110\n#20002 -- 9 0 0 3 0 0\n`
  const room = parseRoom(report)
  t.strictSame([...room], [[alice.uid, 24 * 1024]])
  machine.quota.measureRoom = async () => room
  await write('one\n')
  t.notOk(fs.existsSync(at(path)))
  machine.quota.measureRoom = () => Promise.reject(new Error('no answer'))
  await write('one\n')
  t.notOk(fs.existsSync(at(path)), 'where it is unknown')
  machine.quota.measureRoom = async () => room
  room.set(alice.uid, 10_000_000)
  const gone = { uid: 20_002, username: 'gone', sites: [{ ...site, id: '99' }] }
  const lines = ['99', site.id].map(id => ({ site: id, access: 'one\n', errors: '' }))
  await writeSiteLogs(machine, lines, [gone, account])
  t.equal(fs.readFileSync(at(path), 'utf8'), 'one\n')
})

t.test('the errors of PHP are among those of their website', async t => {
  const { machine, write, at } = await open(t)
  const folder = `/home/${alice.username}/sites`
  await write('', '2026/11/26 22:14:03 [error] 404 first\n2026/11/26 22:14:09 [error] 404 last\n')
  fs.writeFileSync(
    at(`/home/${alice.username}/logs/php.log`),
    `[26-Nov-2026 22:14:05 UTC] PHP Fatal error: in ${folder}/${site.domain}/public/a.php:3\n` +
      'Stack trace:\n#0 {main}\n' +
      `[26-Nov-2026 23:14:07 Europe/Berlin] PHP Warning: ${folder}/${site.domain}/x.php\n` +
      `[26-Nov-2026 22:14:07 UTC] PHP Warning: in ${folder}/other.example/public/a.php\n`,
  )
  const chosen = { kind: 'error' as const, filter: '', count: 9 }
  const lines = readSiteLog(machine, alice, site.domain, chosen)
  t.match(lines, [/404 first/, /Fatal/, /Stack/, /#0/, /Berlin/, /404 last/])
  t.equal(lines.length, 6)
  const found = readSiteLog(machine, alice, site.domain, { ...chosen, filter: 'FATAL', count: 1 })
  t.match(found, [/Fatal/])
})
