import type { Pool } from '../db.ts'
import * as accounts from '../model/accounts/accounts.ts'
import type { Host } from '../model/server/host.ts'

/**
 * Deletes the homes of accounts that ended this long ago; homes without an account are left to the
 * administrator. Returns the number of deleted homes.
 *
 * @param signal stops before the next home
 * @throws the first failure, after the last home: something mounted in one, or an immutable file,
 *   must not keep the others
 */
export async function deleteTrash(
  pool: Pool,
  host: Pick<Host, 'listTrash' | 'deleteTrash'>,
  ended: accounts.Ended,
  signal?: AbortSignal,
): Promise<number> {
  const failed: unknown[] = []
  let deleted = 0
  for (const uid of await accounts.listTerminated(pool, host.listTrash(), ended)) {
    if (signal?.aborted) return deleted
    await host.deleteTrash(uid).then(
      () => (deleted += 1),
      error => failed.push(error),
    )
  }
  if (failed.length > 0) throw failed[0]
  return deleted
}
