import type { Pool } from '../db.ts'
import type { Perform } from '../http/perform.ts'
import type { Route } from '../http/server.ts'
import * as accounts from './accounts.ts'
import * as packages from './packages.ts'

/** The table of `/api/v1` (api.md, Operations). */
export const routes = (pool: Pool, perform: Perform): Route[] =>
  (
    [
      ['GET', '/packages', packages.listPackages(pool)],
      ['GET', '/packages/:name', packages.getPackage(pool)],
      ['PUT', '/packages/:name', packages.putPackage(perform)],
      ['POST', '/accounts', accounts.createAccount(perform)],
      ['GET', '/accounts/:username', accounts.getAccount(pool)],
      ['POST', '/accounts/:username/suspend', accounts.suspendAccount(perform)],
      ['POST', '/accounts/:username/unsuspend', accounts.unsuspendAccount(perform)],
    ] as const
  ).map(([method, path, handler]) => ({ method, path: `/api/v1${path}`, handler }))
