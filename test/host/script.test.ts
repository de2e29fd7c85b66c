import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { hooksOf } from '../../src/host/hooks/hook-scripts.ts'
import { identify } from '../../src/host/hooks/process-group.ts'
import { launch } from '../../src/host/tools/run.ts'
import type { ScriptLimits } from '../../src/host/hooks/script.ts'
import type { ScriptProcess, ScriptStart } from '../../src/model/server/host.ts'
import { install } from '../support/hooks/hooks.ts'
import { isAlive, scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'

// Real programs that behave badly.

const mark = randomUUID()
const body = Buffer.from('{"event":"account.created"}')
const { endScript } = hooksOf({ folder: '/' })

function run(path: string, limits: Partial<ScriptLimits> = {}, start: Partial<ScriptStart> = {}) {
  return hooksOf({ folder: '/', limits }).runScript({
    path,
    event: 'account.created',
    mark,
    body,
    signal: new AbortController().signal,
    onStarted: async () => undefined,
    ...start,
  })
}

/** A shell script that may write process numbers to `$pids`. */
function shell(t: Test, text: string) {
  const folder = scratch(t)
  const file = join(folder, 'pids')
  const path = install(join(folder, 'script'), `#!/bin/sh\npids=${file}\n${text}\n`)
  const pids = () =>
    (existsSync(file) ? readFileSync(file, 'utf8').match(/\d+(?=\n)/g) : null) ?? []
  const pid = async () => Number(await until(() => pids()[0] ?? false))
  return { path, pid }
}

t.test('a script gets the event, four variables and a place of its own', async t => {
  const bytes = Buffer.from('{"a":"é\\n"}')
  t.match(await run('/bin/cat', {}, { body: bytes }), { outcome: 'succeeded', stdout: bytes })
  const { stdout } = (await run('/usr/bin/env'))!
  t.strictSame(stdout.toString().trim().split('\n').sort(), [
    'LANG=C.UTF-8',
    'PANEL_EVENT=account.created',
    `PANEL_EVENT_ID=${mark}`,
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ])
  const { path } = shell(t, 'pwd; echo $$; cut -d" " -f5-6 /proc/$$/stat')
  let leader: ScriptProcess | undefined
  const seen = await run(path, {}, { onStarted: async started => void (leader = started) })
  const pid = leader!.pid
  t.equal(seen!.stdout.toString(), `/\n${pid}\n${pid} ${pid}\n`, 'it leads group and session')
})

t.test('a script’s exit is reported', async t => {
  t.match(await run('/bin/true'), { outcome: 'succeeded', reason: null, exitCode: 0, signal: null })
  t.match(await run(shell(t, 'echo oops >&2; exit 3').path), {
    ...{ outcome: 'failed', reason: 'It ended with 3', exitCode: 3, signal: null },
    stderr: Buffer.from('oops\n'),
  })
  t.match(await run(shell(t, 'kill -SEGV $$').path), {
    ...{ outcome: 'failed', reason: 'It was killed by SIGSEGV', exitCode: null },
    signal: 'SIGSEGV',
  })
  const broken = install(join(scratch(t), 'script'), '#!/no/such/interpreter\n')
  t.match(await run(broken), { outcome: 'failed', exitCode: 127 })
})

t.test('an input that is not read, or closed, does no harm', async t => {
  const large = { body: Buffer.alloc(4_000_000) }
  t.match(await run('/bin/true', {}, large), { outcome: 'succeeded' })
  t.match(await run(shell(t, 'exec <&-; sleep 0.1').path, {}, large), { outcome: 'succeeded' })
})

t.test('the last 16 KiB of each stream are kept, whatever they are', async t => {
  const { path } = shell(t, 'seq 100000; head -c 99999 /dev/zero >&2; printf "\\377" >&2')
  const { stdout, stderr } = (await run(path))!
  t.equal(stdout.length, 16_384)
  t.match(stdout.toString(), /\n99999\n100000\n$/)
  t.ok(stderr.equals(Buffer.concat([Buffer.alloc(16_383), Buffer.from([255])])))
})

t.test('a flood of output is slowed down, and ends with its time', async t => {
  const write = `n=0; trap 'echo $n >>$pids; exit' TERM
    while :; do printf '%65536d' 0; n=$((n + 1)); done`
  const { path, pid: pieces } = shell(t, write)
  const end = (await run(path, { timeoutMs: 500 }))!
  t.equal(end.outcome, 'timed_out')
  t.equal(end.stdout.length, 16_384)
  // A first mebibyte, the pipe's content, and a piece each 10 ms.
  t.ok((await pieces()) < 16 + 3 + end.durationMs / 10)
})

t.test('a script whose time is up is asked to end', async t => {
  const { path } = shell(t, `trap 'echo bye; exit 4' TERM; sleep 30 & wait`)
  t.match(await run(path, { timeoutMs: 200 }), {
    outcome: 'timed_out',
    reason: 'It did not end within 200 ms',
    exitCode: 4,
    stdout: Buffer.from('bye\n'),
  })
})

t.test('a script that ignores its signal is killed with all that it started', async t => {
  const { path, pid } = shell(t, `trap '' TERM; sleep 30 & echo $! >>$pids; wait; sleep 30`)
  t.match(await run(path, { timeoutMs: 200, graceMs: 200 }), {
    ...{ outcome: 'timed_out', exitCode: null, signal: 'SIGKILL' },
  })
  t.notOk(isAlive(await pid()))
})

t.test('a background process gets a moment to end, and is killed', async t => {
  const ending = shell(t, '(sleep 0.2; echo last words) & echo first')
  const { stdout } = (await run(ending.path, { lingerMs: 20_000 }))!
  t.equal(stdout.toString(), 'first\nlast words\n')

  const { path, pid } = shell(t, 'sleep 30 & echo $! >>$pids')
  t.match(await run(path, { lingerMs: 100 }), { outcome: 'succeeded' })
  t.notOk(isAlive(await pid()))
})

t.test('a process outside the group is neither waited for nor killed', async t => {
  const { path, pid } = shell(
    t,
    `setsid sh -c 'echo $$ >>'$pids'; exec sleep 30' &
    while ! test -s $pids; do sleep 0.01; done`,
  )
  t.match(await run(path), { outcome: 'succeeded' })
  t.ok(isAlive(await pid()))
  process.kill(await pid(), 'SIGKILL')
})

t.test('a script ends with the worker, and reports nothing', async t => {
  const { path, pid } = shell(t, `trap '' TERM; sleep 30 & echo $! >>$pids; wait`)
  const stopping = new AbortController()
  const running = run(path, {}, { signal: stopping.signal })
  const background = await pid()
  stopping.abort()
  t.equal(await running, undefined)
  t.notOk(isAlive(background))
  t.equal(await run(path, {}, { signal: stopping.signal }), undefined, 'nor does it start')
})

// A group whose leader is dead and whose script had a background process, as a killed worker leaves
// it.
async function orphans(t: Test, environment: Record<string, string>) {
  const { path, pid } = shell(t, 'sleep 30 & echo $! >>$pids; wait')
  const child = launch([path], { PATH: '/usr/bin:/bin', ...environment })
  const leader = identify(child.pid!)
  const background = await pid()
  t.teardown(() => isAlive(background) && process.kill(background, 'SIGKILL'))
  child.kill('SIGKILL')
  await once(child, 'exit')
  return { leader, background }
}

t.test('leftovers of an interrupted script are ended', async t => {
  const { leader, background } = await orphans(t, { PANEL_EVENT_ID: mark })
  await endScript(mark, leader)
  t.notOk(isAlive(background))
  await endScript(mark, leader)
})

t.test('so it is where the worker died before it knew the process', async t => {
  const { background } = await orphans(t, { PANEL_EVENT_ID: mark })
  const { background: other } = await orphans(t, { PANEL_EVENT_ID: randomUUID() })
  await endScript(mark, null)
  t.notOk(isAlive(background))
  t.ok(isAlive(other))
})

t.test('a number that is another process’s by now is not killed', async t => {
  const child = launch(['/bin/sleep', '30'], { PANEL_EVENT_ID: mark })
  t.teardown(() => child.kill('SIGKILL'))
  const { pid, startedTicks, bootId } = identify(child.pid!)
  await endScript(mark, { pid, bootId, startedTicks: String(Number(startedTicks) - 1) })
  t.ok(isAlive(pid), 'the leader was another one')
  await endScript(mark, { pid, startedTicks, bootId: randomUUID() })
  t.ok(isAlive(pid), 'the machine has been started since')
  await endScript(mark, { pid, startedTicks, bootId })
  await until(() => !isAlive(pid))

  const { leader, background } = await orphans(t, {})
  await endScript(mark, leader)
  t.ok(isAlive(background), 'the group lost its leader too, but was never ours')
})
