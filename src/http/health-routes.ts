import { anyFirst, type Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import { json } from './reply.ts'
import type { OpenRoute } from './server.ts'

/** `/healthz`: this process answers. `/readyz`: the whole panel does. */
export const healthRoutes = (pool: Pool): OpenRoute[] => [
  { path: '/healthz', handler: async () => json(200, { status: 'ok' }) },
  { path: '/readyz', handler: () => readiness(pool) },
]

async function readiness(pool: Pool) {
  const down = await anyFirst<string>(pool)`
    select name from unnest(array['worker', 'courier']) as name
    where not panel.is_alive('process', name)`
  if (down.length > 0) throw new PanelError('unavailable', `Not running: ${down.join(', ')}`)
  return json(200, { status: 'ready' })
}
