import type { LogBatch } from '../../../src/model/server/logs-host.ts'
import { runProcess } from '../../../src/process.ts'
import { workerOn } from '../worker.ts'

// A worker as a process of its own: `reader.ts DATABASE_URL ROOT COUNT read|stored` kills itself
// with SIGKILL when it has read, or stored, that many batches of the access log.
const [databaseUrl, root, count, moment] = process.argv.slice(2)
let left = Number(count)

async function* fatal(batches: AsyncIterable<LogBatch>): AsyncGenerator<LogBatch> {
  for await (const batch of batches) {
    left--
    if (left === 0 && moment === 'read') process.kill(process.pid, 'SIGKILL')
    yield batch
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
}

await runProcess('worker', async () => {
  const worker = await workerOn(databaseUrl!, root!, undefined, options => ({
    ...options,
    host: {
      ...options.host!,
      readLog: (file, offset) => fatal(options.host!.readLog(file, offset)),
    },
  }))
  process.stdout.write('started\n')
  return worker
})
