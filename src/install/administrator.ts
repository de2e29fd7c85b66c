import { openPool } from '../db.ts'
import { findFirstAdministrator, findOperator } from '../model/sellers/operators.ts'

/**
 * Returns the administrator of an install: the one that is named, else one that an earlier install
 * made, even under another name or on the server that was restored here. A second one is made only
 * on request.
 *
 * @param url of the database; undefined if nothing is installed
 */
export async function chooseAdministrator(
  url: string | undefined,
  named: string | undefined,
): Promise<{ name: string; isThere: boolean }> {
  const unknown = { name: named ?? 'admin', isThere: false }
  if (url === undefined) return unknown
  const pool = openPool(url, 'panel_owner', 1)
  pool.removeAllListeners('error').on('error', () => undefined)
  try {
    if (named !== undefined) {
      return { name: named, isThere: (await findOperator(pool, named)) !== undefined }
    }
    const first = await findFirstAdministrator(pool)
    return first === undefined ? unknown : { name: first.name, isThere: true }
  } catch {
    // There is no database, or no schema yet.
    return unknown
  } finally {
    await pool.end()
  }
}
