import { once } from 'node:events'
import { runProcess, untilReachable } from '../../../src/process.ts'
import { workerOn } from '../worker.ts'

// The one worker of its server, as bin/panel-worker.ts is, as a process of its own:
// `sole-worker.ts DATABASE_URL ROOT FILE [each|POINT]` is held at a point, `before lock` say, and
// says `at before lock`; or at each one, by the first operation that comes to it. It goes on at
// SIGUSR2.
const [databaseUrl, root, lostStartsFile, pausePoint] = process.argv.slice(2)

const goOn = once(process, 'SIGUSR2')
const held = new Set<string>()
const hold = async (point: string) => {
  if ((pausePoint !== 'each' && pausePoint !== point) || held.has(point)) return
  held.add(point)
  process.stdout.write(`at ${point}\n`)
  await goOn
}

await runProcess('worker', async () => {
  await untilReachable(databaseUrl!, 'panel_worker')
  const observe = async (step: string, work: () => Promise<void>) => {
    await hold(`before ${step}`)
    await work()
    await hold(`after ${step}`)
  }
  const onWait = () => void process.stdout.write('waits for another worker\n')
  const worker = await workerOn(databaseUrl!, root!, observe, options => ({
    ...options,
    concurrency: 64,
    sole: { lostStartsFile: lostStartsFile!, onWait },
  }))
  process.stdout.write('started\n')
  return worker
})
