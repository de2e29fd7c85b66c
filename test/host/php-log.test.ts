import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { apply } from '../../src/host/apply.ts'
import { logOf, maxBytes, rotateLog } from '../../src/host/php/log.ts'
import { listDrift, takeSnapshot } from '../../src/host/drift.ts'
import { inShort } from '../../src/host/tools/file-drift.ts'
import { alice, sandbox, straight } from '../support/host/sandbox.ts'

// The worker handles a file that is its account's own.

// Says that it has a lease on a file, and keeps it until its input ends.
const hold =
  '$SIG{IO} = "IGNORE"; open my $file, "<", $ARGV[0] or die; ' +
  // F_SETLEASE, F_RDLCK
  'fcntl $file, 1024, 0 or die "no lease: $!"; $| = 1; print "held"; <STDIN>'

t.test('a lease on a log holds up nothing, and the log is cut when it has ended', async t => {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const log = machine.path(logOf(alice.username))
  truncateSync(log, 2 * maxBytes)
  const holder = spawn('perl', ['-e', hold, log], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  const begunAt = performance.now()
  t.equal(rotateLog(machine, alice), true)
  t.ok(performance.now() - begunAt < 5_000, 'it did not wait')
  t.match([statSync(log).size, statSync(`${log}.1`).size], [0, 2 * maxBytes])
  holder.stdin.end()
  await once(holder, 'exit')
  t.equal(rotateLog(machine, alice), false, 'PHP need not open its log again')
  t.equal(statSync(`${log}.1`).size, maxBytes)
})

t.test('a log that its account has closed is opened', async t => {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const log = machine.path(logOf(alice.username))
  writeFileSync(log, 'logged before')
  const look = async () => listDrift((await takeSnapshot(machine)).driftOf(alice)).map(inShort)
  for (const mode of [0o000, 0o400, 0o066]) {
    chmodSync(log, mode)
    t.strictSame(await look(), ['PHP cannot open its log'])
    await apply(machine, alice, straight)
    t.strictSame(await look(), [])
  }
  t.equal(readFileSync(log, 'utf8'), 'logged before')
  chmodSync(log, 0o664)
  t.strictSame(await look(), [], 'more is its own matter')
})

t.test('a test of PHP opens no log of an account', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  const tested = '/run/panel/php/20001.test'
  const logs = ['error_log = /dev/null', 'php_value[error_log] = /home/alice/logs/php.log']
  const read = `sed -n '/error_log/p' ${machine.path(tested)} >${machine.path('/tested')}`
  standIn('php-fpm', read)
  await apply(machine, alice, straight)
  t.strictSame(calls(), [`php-fpm -t -y ${tested}`])
  t.strictSame(readFileSync(machine.path('/tested'), 'utf8').trim().split('\n'), logs)
  t.notOk(existsSync(machine.path(tested)))
})
