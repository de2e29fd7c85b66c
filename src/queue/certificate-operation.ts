import { findForMachine } from '../model/accounts/accounts.ts'
import { toHostAccount, type HostAccount } from '../model/accounts/host-account.ts'
import type { TaskName } from '../model/operations/operation-names.ts'
import { operation } from './operation.ts'
import type { Run } from './operation-types.ts'
import type { Task } from './task.ts'

/**
 * Defines root's work on the certificates of an account, in its lane. It changes no row of the
 * account, always serves a complete certificate, and the next operation overwrites its leftovers:
 * there is nothing to undo.
 */
export const certificateOperation = (
  name: TaskName,
  work: (account: HostAccount, run: Run) => Promise<void>,
): Task =>
  operation(name, {
    subject: null,
    undo: 'nothing',
    async work(run) {
      const found = await findForMachine(run.context.pool, run.started.lane)
      if (found !== undefined) await work(toHostAccount(found.record, found), run)
      return { status: 200, answer: {}, change: null, events: [] }
    },
  })
