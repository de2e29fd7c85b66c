import { once } from 'node:events'
import { openApi } from '../src/api/app.ts'
import { readProcessConfig } from '../src/config.ts'
import { log } from '../src/log.ts'
import { runProcess } from '../src/process.ts'
import { webRoutes } from '../src/web/routes.ts'

await runProcess('api', async () => {
  const { listen, ...config } = readProcessConfig()
  const api = await openApi({ ...config, pages: webRoutes })
  api.server.listen(listen)
  await once(api.server, 'listening')
  log.info('api ready', { address: api.server.address() })
  return { stop: api.stop }
})
