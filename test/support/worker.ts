import { join } from 'node:path'
import { apply, erase, restore } from '../../src/host/apply.ts'
import { certificatesOf } from '../../src/host/web/certificate.ts'
import { ownCertificateOf } from '../../src/host/web/own-certificate.ts'
import { defaultPhpOf } from '../../src/host/php/default-php.ts'
import { mailRelayOf } from '../../src/host/mail/relay.ts'
import { mailServerOf } from '../../src/host/mail-server/mail-server.ts'
import { readServerKey } from '../../src/model/server/server-key.ts'
import { trustedProxiesOf } from '../../src/host/web/trusted-proxies.ts'
import { serviceStartOf } from '../../src/host/services/start-service.ts'
import { hooksOf } from '../../src/host/hooks/hook-scripts.ts'
import type { Machine } from '../../src/host/contract.ts'
import { openMachine } from '../../src/host/machine.ts'
import { prepare } from '../../src/host/shared.ts'
import { rebuildOf } from '../../src/host/rebuild.ts'
import { comparisonOf } from '../../src/host/compared-start.ts'
import { serviceHealthOf, servicesOf } from '../../src/host/resources.ts'
import { serverSnapshotOf } from '../../src/host/server-snapshot.ts'
import { tendingOf } from '../../src/host/accounts/tending.ts'
import { trashOf } from '../../src/host/accounts/trash.ts'
import { usageOf } from '../../src/host/usage/usage.ts'
import { version } from '../../src/config.ts'
import type { Observe } from '../../src/model/server/host.ts'
import { startWorker, type WorkerOptions } from '../../src/queue/worker.ts'

/**
 * A worker wired as in bin/panel-worker.ts, on the sandbox host below `root`, but without its
 * schedule: tests run its jobs themselves. `adapt` changes the wiring.
 */
export async function workerOn(
  databaseUrl: string,
  root: string,
  observe?: Observe,
  adapt = (options: WorkerOptions): WorkerOptions => options,
) {
  return workerOf(databaseUrl, openMachine({ kind: 'sandbox', root }), observe, adapt)
}

/** The same on any machine. */
export async function workerOf(
  databaseUrl: string,
  machine: Machine,
  observe?: Observe,
  adapt = (options: WorkerOptions): WorkerOptions => options,
) {
  await prepare(machine)
  return startWorker(
    adapt({
      databaseUrl,
      serverName: 'panel.test',
      concurrency: 8,
      host: {
        apply: (account, each, part) => apply(machine, account, each, part),
        restore: (account, each) => restore(machine, account, each),
        erase: (account, each) => erase(machine, account, each),
        ...certificatesOf(machine),
        ...ownCertificateOf(machine),
        ...trustedProxiesOf(machine),
        ...defaultPhpOf(machine),
        ...mailRelayOf(machine, () => readServerKey(machine.path('/../key'))),
        ...mailServerOf(machine),
        serverKey: () => readServerKey(machine.path('/../key')),
        ...usageOf(machine),
        ...rebuildOf(machine),
        ...comparisonOf(machine, version),
        ...tendingOf(machine),
        ...serviceHealthOf(machine),
        ...serviceStartOf(machine),
        ...hooksOf({ folder: machine.path('/etc/panel/hooks') }),
        ...serverSnapshotOf({
          machine,
          hooksDir: machine.path('/etc/panel/hooks'),
          command: join(import.meta.dirname, '../../bin/panel.cjs'),
          environment: {
            PANEL_STATE_DIR: machine.path('/..'),
            DATABASE_URL: databaseUrl,
          },
          addresses: () => ['203.0.113.4', '2001:db8::4'],
        }),
        ...trashOf(machine),
        ...servicesOf(machine),
        trashHours: 72,
      },
      ...(observe === undefined ? {} : { observe }),
    }),
  )
}
