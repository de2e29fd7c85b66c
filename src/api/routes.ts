import type { Route } from '../http/server.ts'
import { accountBackupEndpoints } from './account-backups.ts'
import { accountRestoreEndpoints } from './account-restores.ts'
import { accountEndpoints } from './accounts.ts'
import { cronEndpoints } from './cron-jobs.ts'
import type { Endpoint, Wiring } from './endpoint.ts'
import { eventEndpoints } from './events.ts'
import { mailEndpoints } from './mail.ts'
import { packageEndpoints } from './packages.ts'
import { siteEndpoints } from './sites.ts'
import { tokenEndpoint } from './token.ts'
import { readingEndpoints } from './usage-and-jobs.ts'

/** The table of `/api/v1`, which both serves and describes the endpoints. */
export const endpoints: Endpoint[] = [
  ...packageEndpoints,
  ...accountEndpoints,
  ...siteEndpoints,
  ...cronEndpoints,
  ...mailEndpoints,
  ...accountBackupEndpoints,
  ...accountRestoreEndpoints,
  ...readingEndpoints,
  ...eventEndpoints,
  tokenEndpoint,
]

const provisioning = ['Provisioning only', 'Provisioning and hosting'] as const

/** Returns the table in the form that Polka needs. */
export const routes = (wiring: Wiring): Route[] =>
  endpoints.map(({ method, path, permissions = provisioning, handler }) => ({
    method,
    permissions,
    path: `/api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    handler: handler(wiring),
  }))
