import { openAuthority } from '../src/acme/authority.ts'
import { openMailChecks } from '../src/acme/mail-records.ts'
import { readProcessConfig, version } from '../src/config.ts'
import { findRelease } from '../src/install/update/find-release.ts'
import { log } from '../src/log.ts'
import { readServerKey } from '../src/model/server/server-key.ts'
import { secretsKey } from '../src/model/events/webhooks.ts'
import { readAuthorities } from '../src/outside/authorities.ts'
import { openOutside } from '../src/outside/post.ts'
import { runProcess, untilReachable } from '../src/process.ts'
import { startCourier } from '../src/courier/courier.ts'
import { schedule } from '../src/queue/schedule.ts'
import { notifySystemd } from '../src/systemd.ts'
import { refuseUnfinishedRestore } from '../src/unfinished-restore.ts'

await runProcess('courier', async () => {
  const {
    certificates,
    databaseUrl,
    keyFile,
    stateDir,
    updateUrl,
    webhookAllow,
    webhookCa,
    ...own
  } = readProcessConfig()
  refuseUnfinishedRestore(stateDir)
  await untilReachable(databaseUrl, 'panel_courier')
  const { directory, ...dns } = certificates
  const serverKey = readServerKey(keyFile)
  const courier = await startCourier({
    databaseUrl,
    outside: openOutside({ allowed: webhookAllow, authorities: authoritiesIn(webhookCa) }),
    secretsKey: secretsKey(serverKey),
    authority: directory === null ? null : openAuthority({ directory, serverKey, ...dns }),
    checkMailDomain: openMailChecks(dns),
    ownMail: { serverKey, serverName: own.serverName, baseUrl: own.baseUrl, version },
    userAgent: `Panel-Webhooks/${version}`,
    findRelease: updateUrl === null ? null : () => findRelease(updateUrl),
    schedule: schedule('courier'),
    // The process is up; systemd would wait in vain for more.
    onPaused: () =>
      void notifySystemd('--ready', '--status=Waiting for panel ctl dr-restore --release'),
  })
  log.info('courier ready')
  return courier
})

// Without it, receivers with public certificates, and certificate orders, still work.
function authoritiesIn(path: string | null): string[] {
  try {
    return path === null ? [] : readAuthorities(path)
  } catch (error) {
    log.error('PANEL_WEBHOOK_CA is not used', error)
    return []
  }
}
