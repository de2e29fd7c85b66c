import type { Server } from 'node:http'
import { type Db, openPool, type Pool } from '../db.ts'
import { authenticateWith } from '../http/authenticate.ts'
import { addressBehind, type AddressOf, type Proxies } from '../http/caller-address.ts'
import { healthRoutes } from '../http/health-routes.ts'
import { openLicensing } from '../http/licensing.ts'
import { openMetrics } from '../http/metrics.ts'
import { createApp, type OpenRoute, type PageOf } from '../http/server.ts'
import { type License, type LicenseSettings, maySignOwn } from '../model/server/license.ts'
import type { Running } from '../process.ts'
import { executeWith, type Execute } from '../requests/execute.ts'
import { Outcomes } from '../requests/outcomes.ts'
import { referenceRoutes } from './reference.ts'
import { routes } from './routes.ts'

// Enough for the requests that one process can have in the database at a time; others wait here
// briefly instead of in the database.
const connections = 16
// Requests that wait for the worker get this long at shutdown, then a 503; the work continues.
const waitersMs = 4_000
// All other requests, mostly slow senders, are aborted after this.
const graceMs = 6_000

export type ApiOptions = {
  databaseUrl: string
  /** The base of links, never taken from a Host header. */
  baseUrl: string
  /** Host names of the panel itself, which no account can have. */
  ownNames: readonly string[]
  /** The proxies whose X-Forwarded-For is trusted. */
  proxies: Proxies
  license: LicenseSettings
  /** Returns the server's key, which is read at sign-in. */
  serverKey: () => Buffer
  /** Facts about the panel itself, for pages. */
  about: { serverName: string; version: string; trashHours: number; addresses: Addresses }
  /** The folder in which uploads wait for the worker. */
  uploadsDir: string
  /** The folder in which the worker puts files for download. */
  exportsDir: string
  /** Returns why the courier would never send to an address; undefined if it would. */
  whyUnreachable: (url: string) => Promise<string | undefined>
  /** The token that /metrics requires; without it there is no /metrics. */
  metricsToken?: string | null
  /** The routes outside `/api/v1`, and the page for unknown paths. */
  pages?: (wiring: PageWiring) => { routes: OpenRoute[]; pageOf?: PageOf }
}

type Addresses = (db: Db) => Promise<string[]>

type OfPages = 'baseUrl' | 'about' | 'serverKey' | 'uploadsDir' | 'exportsDir' | 'whyUnreachable'

type PageWiring = Pick<ApiOptions, OfPages> & {
  pool: Pool
  requireLicense: () => License
  maySignLicense: boolean
  execute: Execute
  addressOf: AddressOf
}

export type Api = Running & { server: Server }

/** Opens everything that serves HTTP, ready to listen. */
export async function openApi(options: ApiOptions): Promise<Api> {
  const { databaseUrl, baseUrl, ownNames, proxies, license, about, serverKey, uploadsDir } = options
  const { exportsDir } = options
  const { whyUnreachable } = options
  const pool = openPool(databaseUrl, 'panel_api', connections)
  const outcomes = await Outcomes.open(pool, databaseUrl)
  const licensing = await openLicensing(pool, license)
  const rules = { maxAccounts: () => licensing.require().maxAccounts, ownNames, baseUrl }
  const execute = executeWith(pool, outcomes, rules)
  const addressOf = addressBehind(proxies)
  const requireLicense = () => licensing.require()
  const own = { pool, execute, requireLicense, maySignLicense: maySignOwn(license.key), addressOf }
  const pages = options.pages?.({
    ...{ ...own, baseUrl, about, serverKey, uploadsDir, exportsDir, whyUnreachable },
  })
  const metrics = options.metricsToken ? await openMetrics(pool, options.metricsToken) : undefined
  const { server, close } = createApp(
    routes({ pool, execute, about, serverKey }),
    [
      ...healthRoutes(pool),
      ...(metrics === undefined ? [] : [metrics.route]),
      ...(await referenceRoutes(baseUrl)),
      ...(pages?.routes ?? []),
    ],
    authenticateWith(pool, addressOf),
    licensing,
    proxies,
    pages?.pageOf,
    metrics?.note,
  )
  return {
    server,
    check: () => pool.query('select'),
    stop: async () => {
      licensing.stop()
      const release = setTimeout(() => outcomes.releaseAll(), waitersMs)
      await close(graceMs)
      clearTimeout(release)
      await outcomes.close()
      await pool.end()
    },
  }
}
