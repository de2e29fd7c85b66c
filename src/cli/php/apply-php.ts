import type { Pool } from '../../db.ts'
import * as rebuilds from '../../model/jobs/rebuilds.ts'

/** Has these accounts applied again, after versions of PHP have changed; waits for a worker. */
export async function applyPhp(db: Pool, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0 || !(await rebuilds.isWorkerUp(db))) return
  for await (const _ of rebuilds.rebuild(db, [...new Set(accountIds)])) continue
}
