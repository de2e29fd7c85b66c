import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { CommandError, run } from '../../src/host/tools/run.ts'

t.test('returns what the command wrote', async t => {
  t.equal(await run('printf', ['%s|', 'a', 'b']), 'a|b|')
})

t.test('there is no shell: every argument arrives as it is', async t => {
  const hostile = ['$(id)', '; id', "' id", '" id', '`id`', '*', 'a\nb', '-e']
  t.equal(await run('printf', ['%s|', ...hostile]), hostile.map(text => `${text}|`).join(''))
})

t.test('a command gets its input and a clean environment', async t => {
  t.equal(await run('cat', [], { stdin: 'alice:secret\n' }), 'alice:secret\n')
  process.env['PANEL_TEST_SECRET'] = 'secret'
  const environment = await run('env', [])
  t.match(environment, 'LANG=C.UTF-8\n')
  t.match(environment, 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n')
  t.notMatch(environment, /SECRET|HOME|USER/)
})

t.test('a failure names the command, its code and its last words, never its input', async t => {
  const script = 'cat >/dev/null; seq 20 >&2; exit 3'
  const failure = run('sh', ['-c', script], { stdin: 'secret' })
  const error = await failure.catch((error: unknown) => error as CommandError)
  t.match(error, { command: 'sh', exitCode: 3, message: 'sh ended with 3: 16\n17\n18\n19\n20' })
  t.notMatch(JSON.stringify(error), /secret/)
})

t.test('a command that does not exist is named', async t => {
  await t.rejects(run('no-such-command', []), /no-such-command ended with 127: .*No such file/)
})

t.test('a command that leaves its input unread is no failure', async t => {
  t.equal(await run('true', [], { stdin: 'x'.repeat(1_000_000) }), '')
})

t.test('output is kept up to a limit', async t => {
  const text = await run('head', ['-c', '1000000', '/dev/zero'])
  t.equal(text.length, 65_536)
})

t.test('when its time is up, a command is killed with all that it started', async t => {
  const folder = t.testdir()
  const script = `echo $$ >${folder}/pid; (sleep 0.4; touch ${folder}/late) & sleep 30`
  const began = Date.now()
  const failure = run('sh', ['-c', script], { timeoutMs: 150 })
  await t.rejects(failure, { message: 'sh did not end within 150 ms', exitCode: undefined })
  t.ok(Date.now() - began < 5_000)
  const pid = Number(readFileSync(`${folder}/pid`, 'utf8'))
  await sleep(500)
  t.ok(await isDead(pid))
  t.notOk(existsSync(`${folder}/late`))
})

t.test('an abort ends a command, and keeps a later one from starting', async t => {
  const controller = new AbortController()
  const failure = run('sleep', ['30'], { signal: controller.signal })
  controller.abort()
  await t.rejects(failure, /sleep was aborted/)
  await t.rejects(run('true', [], { signal: controller.signal }), /true was not started/)
})

t.test('a command killed from outside is a failure', async t => {
  await t.rejects(run('sh', ['-c', 'kill -KILL $$']), /sh was killed/)
})

t.test('no process outlives a killed worker', async t => {
  const folder = t.testdir()
  const script = `echo $$ >${folder}/pid; exec sleep 30`
  const module = new URL('../../src/host/tools/run.ts', import.meta.url).href
  const program = `
    import { run } from ${JSON.stringify(module)}
    void run('sh', ['-c', ${JSON.stringify(script)}])
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300)`
  await t.rejects(run(process.execPath, ['--input-type=module', '-e', program]), /was killed/)
  const pid = Number(readFileSync(`${folder}/pid`, 'utf8'))
  t.ok(await isDead(pid))
})

/** Whether a process ends within two seconds; a zombie counts as ended. */
async function isDead(pid: number): Promise<boolean> {
  for (let waited = 0; waited < 2_000; waited += 20) {
    try {
      if (/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return true
    } catch {
      return true
    }
    await sleep(20)
  }
  return false
}
