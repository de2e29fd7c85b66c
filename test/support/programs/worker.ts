import { runProcess } from '../../../src/process.ts'
import { workerOn } from '../worker.ts'

// A worker as a process of its own:
// `worker.ts DATABASE_URL ROOT [STEP before|after [SIGNAL [FAILING]]]`
// It sends itself SIGKILL, or that signal, before or after that step of whatever operation comes
// first. A number counts the steps of all of them. The step FAILING fails.
const [databaseUrl, root, fatalStep, moment, signal = 'SIGKILL', failing] = process.argv.slice(2)

// Work may wait for it already: its parent hears that it runs before it ends.
const started = Promise.withResolvers<void>()
const end = async () => {
  await started.promise
  process.kill(process.pid, signal)
}

let steps = 0
await runProcess('worker', async () => {
  const worker = await workerOn(databaseUrl!, root!, async (step, work) => {
    const isFatal = step === fatalStep || `${++steps}` === fatalStep
    if (isFatal && moment === 'before') await end()
    if (step === failing) throw new Error('staged')
    await work()
    if (isFatal && moment === 'after') await end()
  })
  process.stdout.write('started\n')
  started.resolve()
  return worker
})
