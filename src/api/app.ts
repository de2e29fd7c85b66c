import type { Server } from 'node:http'
import { openPool } from '../db.ts'
import { authenticateWith } from '../http/authenticate.ts'
import { healthRoutes } from '../http/health.ts'
import { Outcomes } from '../http/outcomes.ts'
import { performWith } from '../http/perform.ts'
import { closeServer, createApp } from '../http/server.ts'
import { routes } from './routes.ts'

// Enough for the requests that one process can have in the database at a time; the others wait
// here for a moment instead of there.
const connections = 16
// Requests that wait for the worker get this long at shutdown; the work goes on without them.
const graceMs = 6_000

export type Api = { server: Server; stop: () => Promise<void> }

/** Everything that listens to HTTP, ready to listen. */
export async function openApi(options: { databaseUrl: string }): Promise<Api> {
  const pool = openPool(options.databaseUrl, 'panel_api', connections)
  const outcomes = await Outcomes.open(pool, options.databaseUrl)
  const server = createApp(
    routes(pool, performWith(pool, outcomes)),
    healthRoutes(pool),
    authenticateWith(pool),
  )
  return {
    server,
    stop: async () => {
      await closeServer(server, graceMs)
      await outcomes.close()
      await pool.end()
    },
  }
}
