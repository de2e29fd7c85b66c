import { z } from 'zod'
import type { Pool } from '../../db.ts'
import { listPaused } from '../../model/jobs/paused-tasks.ts'
import { getShown, type ShownOperation } from '../../model/operations/shown-operations.ts'
import { localPath } from '../addresses.ts'
import { customers, goTo, goToSaying, operators, page, type Page } from '../page.ts'
import { flashOfImport } from './databases/import.ts'
import { job } from './jobs/job.ts'

// One operation while it happens and afterwards. A form that it was asked by leads here with
// `then`, and from here on to that once it is done.

const Query = z.object({ then: z.string().optional() })

const operationPage = <Path extends '/jobs/:id' | '/account/jobs/:id'>(
  path: Path,
  roles: typeof operators | typeof customers,
) =>
  page({
    path,
    roles,
    query: Query,
    async load({ pool, caller, params, query, isLive, wiring }) {
      const operation = await getShown(pool, caller, (params as { id: string }).id)
      const then = localPath(query.then)
      if (operation.state === 'done' && then !== undefined) {
        const flash = await flashOfImport(pool, operation)
        if (flash === undefined) return goTo(then, { isLive })
        return goToSaying(then, flash, wiring, { isLive })
      }
      return {
        operation,
        isOpen: isOpen(operation),
        isPaused: isWaiting(operation) && (await isPaused(pool, operation)),
      }
    },
    template: 'pages/operation',
  })

const isOpen = ({ state }: ShownOperation): boolean =>
  ['blocked', 'queued', 'running', 'undoing'].includes(state)

const isWaiting = ({ state }: ShownOperation): boolean => state === 'blocked' || state === 'queued'

const isPaused = async (pool: Pool, { name }: ShownOperation): Promise<boolean> =>
  (await listPaused(pool)).some(({ task }) => task === name)

const ofOperator = operationPage('/jobs/:id', operators)

/** /jobs/ID: for administrators the whole job, for resellers what they may see of it. */
export const operation: Page = {
  ...ofOperator,
  get: request => (request.caller.role === 'administrator' ? job : ofOperator).get(request),
}

/** /account/jobs/ID */
export const ownOperation = operationPage('/account/jobs/:id', customers)
