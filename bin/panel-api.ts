import { join } from 'node:path'
import { openApi } from '../src/api/app.ts'
import { inheritedSocket, readProcessConfig, version } from '../src/config.ts'
import { listenAt } from '../src/http/listen.ts'
import type { Db } from '../src/db.ts'
import { log } from '../src/log.ts'
import { exportsPath, uploadsPath } from '../src/model/server/host.ts'
import { readAddresses } from '../src/model/server/server-snapshot.ts'
import { readServerKey } from '../src/model/server/server-key.ts'
import { whyUnreachable } from '../src/outside/reachability.ts'
import { runProcess } from '../src/process.ts'
import { refuseUnfinishedRestore } from '../src/unfinished-restore.ts'
import { openPages } from '../src/web/routes.ts'

await runProcess('api', async () => {
  const { listen, socket, trustedProxies, ...config } = readProcessConfig()
  refuseUnfinishedRestore(config.stateDir)
  const proxies = { isSocket: socket !== null, trusted: trustedProxies }
  const { serverName, trashHours, certificates } = config
  const addresses = async (db: Db) => certificates.addresses ?? (await readAddresses(db))
  const about = { serverName, version, trashHours, addresses }
  const uploadsDir = join(config.machineRoot, uploadsPath)
  const exportsDir = join(config.machineRoot, exportsPath)
  const serverKey = () => readServerKey(config.keyFile)
  const unreachable = (url: string) => whyUnreachable(url, config.webhookAllow)
  const api = await openApi({
    ...{ ...config, proxies, about, serverKey, uploadsDir, exportsDir, pages: openPages },
    whyUnreachable: unreachable,
  })
  const fd = inheritedSocket()
  await listenAt(api.server, fd === undefined ? (socket ?? listen) : { fd })
  log.info('api ready', { address: api.server.address() ?? socket })
  return api
})
