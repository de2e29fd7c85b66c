import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { listenForStop, unlessStopped } from '../../src/start/stop-signals.ts'

t.test('takes signals that arrive together for one, and a later one for a second', async t => {
  using signals = listenForStop()
  process.kill(process.pid, 'SIGTERM')
  process.kill(process.pid, 'SIGINT')
  await sleep(100)
  t.ok(signals.stop.aborted)
  t.notOk(signals.hurry.aborted)
  await sleep(500)
  process.kill(process.pid, 'SIGTERM')
  await sleep(100)
  t.ok(signals.hurry.aborted)
})

t.test('waits for a step, and for a while when it is time to stop', async t => {
  const stop = new AbortController()
  t.equal(await unlessStopped(Promise.resolve('done'), stop.signal), 'done')
  stop.abort()
  t.equal(await unlessStopped(sleep(100, 'done'), stop.signal), 'done')
  await t.rejects(unlessStopped(new Promise(() => {}), stop.signal), { name: 'AbortError' })
})
