import { PanelError } from '../../errors.ts'
import type { Machine } from '../contract.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

/** Returns why no database can be made or changed now; undefined if MariaDB answers. */
export async function whyNoDatabases(machine: Machine): Promise<string | undefined> {
  const databases = machine.part(mariaDb)
  const lack = databases.lack()
  // A sandbox starts its own server when needed.
  if (lack !== undefined || !databases.isUsed()) return lack
  try {
    await databases.query('SELECT 1')
    return undefined
  } catch (error) {
    if (error instanceof PanelError) return error.message
    throw error
  }
}
