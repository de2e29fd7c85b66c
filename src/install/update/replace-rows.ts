import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { ensureFile, syncFolder } from '../../host/tools/files.ts'

/**
 * Replaces all rows, and keeps the panel from starting until that has succeeded: were the database
 * gone half way, it would come back with rows that are nobody's.
 *
 * @param mark what the panel's processes look for
 */
export async function replaceRows<T>(mark: string, replace: () => Promise<T>): Promise<T> {
  await ensureFile(mark, '', 0o644)
  const result = await replace()
  rmSync(mark)
  await syncFolder(dirname(mark))
  return result
}
