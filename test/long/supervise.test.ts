import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { supervise } from '../../src/start/supervise.ts'
import { eventually, isAlive, scratch } from '../support/scratch.ts'

// Real processes, on a machine that may be busy with other tests.
t.setTimeout(120_000)

// Stand-ins for the panel's processes: each appends its number to a file, then runs `body`.
function service(t: Test, body: string) {
  const folder = scratch(t)
  const pids = join(folder, 'pids')
  const script = join(folder, 'service.mjs')
  const logFile = join(folder, 'log/service.log')
  writeFileSync(
    script,
    `import { appendFileSync } from 'node:fs'
     const say = line => process.stdout.write(JSON.stringify(line) + '\\n')
     process.on('SIGTERM', () => process.exit(0))
     ${body}
     appendFileSync('${pids}', process.pid + '\\n')
     setInterval(() => {}, 1000)`,
  )
  const reported: string[] = []
  const options = {
    name: 'service',
    command: [process.execPath, script] as [string, ...string[]],
    environment: {},
    logFile,
    report: (sentence: string) => void reported.push(sentence),
  }
  const started = () =>
    existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : []
  return { options, reported, started, logFile }
}

t.test('starts a process again that crashed, and says so', async t => {
  const { options, reported, started, logFile } = service(
    t,
    `say({ level: 'info', message: 'hello' })`,
  )
  const running = supervise(options)
  await eventually('the first', () => started().length === 1)
  process.kill(started()[0] ?? 0, 'SIGKILL')
  await eventually('the second', () => started().length === 2)
  t.strictSame(reported, [`service: was ended by SIGKILL; starting it again (see ${logFile})`])
  await running.stop(5_000)
  t.notOk(started().some(isAlive))
  t.equal(readFileSync(logFile, 'utf8').match(/"hello"/g)?.length, 2, 'one log for both')
})

t.test('waits longer each time for one that keeps failing', async t => {
  const { options, reported } = service(t, `process.exit(3)`)
  const begunAt = Date.now()
  const running = supervise(options)
  await eventually('three failures', () => reported.length === 3)
  t.ok(Date.now() - begunAt >= 300, '0.1 s and 0.2 s')
  t.match(reported[0], /^service: ended with exit code 3;/)
  await running.stop(5_000)
})

t.test('shows errors on the terminal in one line, everything else in the log', async t => {
  const { options, reported, started, logFile } = service(
    t,
    `say({ level: 'info', message: 'request' })
     say({ level: 'error', message: 'lost', error: { message: 'the\\u001b[31m disk\\nis full' } })
     say({ level: 'error', message: 'lost', error: { message: 'the\\u001b[31m disk\\nis full' } })
     process.stderr.write('no JSON\\n')`,
  )
  const running = supervise(options)
  await eventually('it runs', () => started().length === 1)
  await running.stop(5_000)
  t.strictSame(reported, ['service: lost: the [31m disk is full'])
  t.match(readFileSync(logFile, 'utf8'), /request[^]*lost[^]*lost[^]*no JSON|no JSON[^]*lost/)
})

t.test('kills what does not stop in time', async t => {
  const { options, started } = service(
    t,
    `process.on('SIGTERM', () => {})
     process.removeAllListeners('SIGTERM'); process.on('SIGTERM', () => {})`,
  )
  const running = supervise(options)
  await eventually('it runs', () => started().length === 1)
  const begunAt = Date.now()
  await running.stop(200)
  t.ok(Date.now() - begunAt < 2_000)
  t.notOk(started().some(isAlive))
})

// Says what the panel's processes say.
const alive = `setInterval(() => process.send('alive'), 20)`

for (const [what, hang] of [
  ['is stopped', `process.kill(process.pid, 'SIGSTOP')`],
  ['hangs', 'for (;;);'],
]) {
  t.test(`kills one that ${what}, and starts it again`, async t => {
    // The first one alone hangs, once it is known to run.
    const { options, reported, started, logFile } = service(
      t,
      `${alive}
       import { existsSync } from 'node:fs'
       const isFirst = !existsSync(process.argv[1] + '.first')
       appendFileSync(process.argv[1] + '.first', '')
       if (isFirst) setTimeout(() => { ${hang} }, 300)`,
    )
    const running = supervise({ ...options, silentMs: 2_000 })
    await eventually('the second', () => started().length === 2)
    const why = 'did not respond for 2 s and was ended by SIGKILL'
    t.strictSame(reported, [`service: ${why}; starting it again (see ${logFile})`])
    t.notOk(isAlive(started()[0] ?? 0))
    t.ok(isAlive(started()[1] ?? 0))
    await running.stop(5_000)
  })
}

t.test('kills no child for having been stopped itself', async t => {
  const { options, started } = service(t, alive)
  const parent = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { supervise } from '${join(import.meta.dirname, '../../src/start/supervise.ts')}'
     supervise({ ...${JSON.stringify({ ...options, silentMs: 2_000 })}, report: () => {} })`,
  ])
  t.teardown(() => parent.kill('SIGKILL'))
  await eventually('it runs', () => started().length === 1)
  // As with a machine that sleeps: no process could listen.
  parent.kill('SIGSTOP')
  await sleep(3_000)
  parent.kill('SIGCONT')
  await sleep(500)
  t.equal(started().length, 1)
  t.ok(started().every(isAlive))
})

t.test('stops at once when hurried', async t => {
  const { options, started } = service(
    t,
    `process.removeAllListeners('SIGTERM')
     process.on('SIGTERM', () => {})`,
  )
  const running = supervise(options)
  await eventually('it runs', () => started().length === 1)
  const stopped = running.stop(20_000)
  running.kill()
  await stopped
  t.notOk(started().some(isAlive))
})

t.test('stops while it waits to start again', async t => {
  const { options, reported } = service(t, `process.exit(1)`)
  const running = supervise(options)
  await eventually('some failures', () => reported.length === 3)
  const begunAt = Date.now()
  await running.stop(5_000)
  t.ok(Date.now() - begunAt < 300)
})

t.test('no process outlives the one that supervises it', async t => {
  const { options, started } = service(t, '')
  const parent = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { supervise } from '${join(import.meta.dirname, '../../src/start/supervise.ts')}'
     supervise({ ...${JSON.stringify(options)}, report: () => {} })`,
  ])
  await eventually('it runs', () => started().length === 1)
  t.ok(started().every(isAlive))
  parent.kill('SIGKILL')
  await eventually('it is gone', () => !started().some(isAlive))
})
