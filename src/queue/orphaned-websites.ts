import type { Db } from '../db.ts'
import { listOrphaned } from '../model/server/database-health.ts'
import type { Host } from '../model/server/host.ts'

/** Has visitors find no website that no account has, and none by a name that it does not have. */
export async function removeOrphaned(db: Db, host: Host): Promise<void> {
  // Looked for before the rows, which are there before the machine has anything of them.
  const found = host.listWebsites()
  await host.removeWebsites(await listOrphaned(db, found))
}
