import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownAddresses } from '../src/acme/points-here.ts'
import { takePidLock } from '../src/pid-lock.ts'
import { installationDir, readProcessConfig, version } from '../src/config.ts'
import { apply, erase, restore } from '../src/host/apply.ts'
import { followModules } from '../src/host/web/followed-modules.ts'
import { certificatesOf } from '../src/host/web/certificate.ts'
import { trustedProxiesOf } from '../src/host/web/trusted-proxies.ts'
import { ownCertificateOf } from '../src/host/web/own-certificate.ts'
import { serviceStartOf } from '../src/host/services/start-service.ts'
import { hooksOf } from '../src/host/hooks/hook-scripts.ts'
import { machineOf } from '../src/host/machine.ts'
import { defaultPhpOf } from '../src/host/php/default-php.ts'
import { mailRelayOf } from '../src/host/mail/relay.ts'
import { mailServerOf } from '../src/host/mail-server/mail-server.ts'
import { keepPhp } from '../src/host/php/keeper.ts'
import { prepare } from '../src/host/shared.ts'
import { serviceHealthOf, servicesOf } from '../src/host/resources.ts'
import { rebuildOf } from '../src/host/rebuild.ts'
import { comparisonOf } from '../src/host/compared-start.ts'
import { serverSnapshotOf } from '../src/host/server-snapshot.ts'
import { tendingOf } from '../src/host/accounts/tending.ts'
import { trashOf } from '../src/host/accounts/trash.ts'
import { usageOf } from '../src/host/usage/usage.ts'
import { environmentOfCommands } from '../src/cli/find-panel.ts'
import { log } from '../src/log.ts'
import { runProcess, untilReachable } from '../src/process.ts'
import { readServerKey } from '../src/model/server/server-key.ts'
import { schedule } from '../src/queue/schedule.ts'
import { startWorker } from '../src/queue/worker.ts'
import { notifySystemd } from '../src/systemd.ts'
import { refuseUnfinishedRestore } from '../src/unfinished-restore.ts'

await runProcess('worker', async () => {
  const config = readProcessConfig()
  const { certificates, databaseUrl, hooksDir, host, keyFile, phpIdleMs } = config
  const { serverName, stateDir, trashHours } = config
  refuseUnfinishedRestore(stateDir)
  await untilReachable(databaseUrl, 'panel_worker')
  const machine = machineOf({ host, stateDir })
  // One worker per machine: only it publishes websites and edits the machine's user database.
  const lock = machine.path('/var/lib/panel/worker.lock')
  mkdirSync(dirname(lock), { recursive: true })
  const other = takePidLock(lock)
  if (other !== undefined) throw new Error(`Process ${other} is already this server's worker`)
  await prepare(machine)
  keepPhp(machine, phpIdleMs)
  followModules(machine)
  const worker = await startWorker({
    databaseUrl,
    serverName,
    concurrency: 16,
    host: {
      apply: (account, observe, part) => apply(machine, account, observe, part),
      restore: (account, observe) => restore(machine, account, observe),
      erase: (account, observe) => erase(machine, account, observe),
      ...certificatesOf(machine),
      ...ownCertificateOf(machine),
      ...trustedProxiesOf(machine),
      ...defaultPhpOf(machine),
      ...mailRelayOf(machine, () => readServerKey(keyFile)),
      ...mailServerOf(machine),
      serverKey: () => readServerKey(keyFile),
      ...usageOf(machine),
      ...rebuildOf(machine),
      ...comparisonOf(machine, version),
      ...serviceHealthOf(machine),
      ...serviceStartOf(machine),
      ...hooksOf({ folder: hooksDir }),
      ...serverSnapshotOf({
        ...{ machine, hooksDir },
        command: join(installationDir, 'bin/panel.cjs'),
        environment: environmentOfCommands(stateDir),
        addresses: () => certificates.addresses ?? ownAddresses(),
      }),
      ...trashOf(machine),
      ...tendingOf(machine),
      ...servicesOf(machine),
      trashHours,
    },
    isIssuing: certificates.directory !== null,
    schedule: schedule('worker'),
    sole: {
      lostStartsFile: machine.path('/var/lib/panel/lost-starts.json'),
      onWait: () => {
        log.info('another worker of this server is running: waiting for it to end')
        void notifySystemd('--ready', '--status=Waiting for another worker to end')
      },
    },
  })
  log.info('worker ready', { host })
  return worker
})
