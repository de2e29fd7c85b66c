import { join } from 'node:path'
import { claim } from '../src/claim.ts'
import { readProcessConfig } from '../src/config.ts'
import { apply, erase } from '../src/host/apply.ts'
import { openMachine } from '../src/host/machine.ts'
import { prepare } from '../src/host/prepare.ts'
import { log } from '../src/log.ts'
import { runProcess } from '../src/process.ts'
import { startWorker } from '../src/queue/worker.ts'

await runProcess('worker', async () => {
  const { databaseUrl, host, serverName, stateDir } = readProcessConfig()
  const root = host === 'linux' ? '/' : join(stateDir, 'host')
  const machine = openMachine({ kind: host, root })
  await prepare(machine)
  // One worker a machine: it alone publishes websites and edits the machine's user database.
  const other = claim(machine.path('/var/lib/panel/worker.lock'))
  if (other !== undefined) throw new Error(`Process ${other} is the worker of this machine`)
  const worker = await startWorker({
    name: 'worker',
    databaseUrl,
    role: 'panel_worker',
    serverName,
    concurrency: 16,
    host: {
      apply: (account, observe) => apply(machine, account, observe),
      erase: (account, observe) => erase(machine, account, observe),
    },
  })
  log.info('worker ready', { host })
  return worker
})
