import { apply, erase } from '../src/host/apply.ts'
import { openMachine } from '../src/host/machine.ts'
import { prepare } from '../src/host/prepare.ts'
import type { Observe } from '../src/model/host.ts'
import { startWorker } from '../src/queue/worker.ts'

/** A worker as bin/panel-worker.ts wires it, on the sandbox host below `root`. */
export async function workerOn(databaseUrl: string, root: string, observe?: Observe) {
  const machine = openMachine({ kind: 'sandbox', root })
  await prepare(machine)
  return startWorker({
    name: 'worker',
    databaseUrl,
    role: 'panel_worker',
    serverName: 'panel.test',
    concurrency: 8,
    host: {
      apply: (account, each) => apply(machine, account, each),
      erase: (account, each) => erase(machine, account, each),
    },
    ...(observe === undefined ? {} : { observe }),
  })
}
