import { readProcessConfig } from '../src/config.ts'
import { log } from '../src/log.ts'
import { runProcess } from '../src/process.ts'
import { startWorker } from '../src/queue/worker.ts'

await runProcess('courier', async () => {
  const { databaseUrl, serverName } = readProcessConfig()
  const worker = await startWorker({
    name: 'courier',
    databaseUrl,
    role: 'panel_courier',
    serverName,
    concurrency: 20,
  })
  log.info('courier ready')
  return worker
})
