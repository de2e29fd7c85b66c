import type { Route } from '../http/server.ts'
import { accountChangeOperations } from './account-change-operations.ts'
import { accountOperations } from './account-operations.ts'
import type { Operation, Wiring } from './operation.ts'
import { packageOperations } from './package-operations.ts'
import { readingOperations } from './reading-operations.ts'

/** The table of `/api/v1` (api.md, Operations): what is served is what is described. */
export const operations: Operation[] = [
  ...packageOperations,
  ...accountOperations,
  ...accountChangeOperations,
  ...readingOperations,
]

/** The table as Polka reads it. */
export const routes = (wiring: Wiring): Route[] =>
  operations.map(({ method, path, handler }) => ({
    method,
    path: `/api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    handler: handler(wiring),
  }))
