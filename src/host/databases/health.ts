import { PanelError } from '../../errors.ts'
import type { Machine } from '../contract.ts'

/** Why no database can be made or changed now; undefined where MariaDB answers. */
export async function whyNoDatabases({ databases }: Machine): Promise<string | undefined> {
  const lack = databases.lack()
  // A sandbox starts its own when it is needed.
  if (lack !== undefined || !databases.isUsed()) return lack
  try {
    await databases.query('SELECT 1')
    return undefined
  } catch (error) {
    if (error instanceof PanelError) return error.message
    throw error
  }
}
