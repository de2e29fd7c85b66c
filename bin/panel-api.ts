import { openApi } from '../src/api/app.ts'
import { inheritedSocket, readProcessConfig } from '../src/config.ts'
import { listenAt } from '../src/http/listen.ts'
import { log } from '../src/log.ts'
import { runProcess } from '../src/process.ts'
import { refuseUnfinishedRestore } from '../src/unfinished-restore.ts'
import { webRoutes } from '../src/web/routes.ts'

await runProcess('api', async () => {
  const { listen, socket, trustedProxies, ...config } = readProcessConfig()
  refuseUnfinishedRestore(config.stateDir)
  const proxies = { isSocket: socket !== null, trusted: trustedProxies }
  const api = await openApi({ ...config, proxies, pages: webRoutes })
  const fd = inheritedSocket()
  await listenAt(api.server, fd === undefined ? (socket ?? listen) : { fd })
  log.info('api ready', { address: api.server.address() ?? socket })
  return api
})
