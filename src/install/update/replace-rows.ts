import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { ensureFile, syncFolder } from '../../host/tools/files.ts'

/**
 * Replaces all rows, and keeps the panel from starting until that has succeeded: if the database
 * failed half way, the panel would start with an inconsistent mix of rows.
 *
 * @param mark the file that the panel's processes check for
 */
export async function replaceRows<T>(mark: string, replace: () => Promise<T>): Promise<T> {
  await ensureFile(mark, '', 0o644)
  const result = await replace()
  rmSync(mark)
  await syncFolder(dirname(mark))
  return result
}
