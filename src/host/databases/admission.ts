import { PanelError } from '../../errors.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import type { Machine } from '../contract.ts'
import { notAnswering } from '../mariadb/client.ts'
import { read } from './reading.ts'
import { killUser, lockUser } from './statements.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

/**
 * Lets customers into a MariaDB that has just started, once users who may not log in are locked:
 * changes made while it was down have not reached it. Returns the result, if it did so.
 */
export async function letIn(
  machine: Machine,
  listLocked: () => Promise<readonly string[]>,
): Promise<Warning | undefined> {
  const databases = machine.part(mariaDb)
  const start = databases.closedStart()
  if (start === undefined) return undefined
  try {
    const names = await listLocked()
    const { users } = await read(databases, { databases: [], users: names })
    for (const name of names.filter(one => users.has(one))) {
      await databases.query(lockUser(name, true))
      await databases.query(killUser(name))
    }
  } catch (error) {
    // It is not up yet.
    if (error instanceof PanelError && error.code === 'unavailable') return undefined
    throw error
  }
  databases.open(start)
  return { code: 'databases_down', sentence: notAnswering }
}
