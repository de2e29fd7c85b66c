import type { Db } from '../db.ts'
import { listOrphaned } from '../model/server/database-health.ts'
import type { Host } from '../model/server/host.ts'

/** Removes websites, and names of websites, that belong to no account. */
export async function removeOrphaned(db: Db, host: Host): Promise<void> {
  // Listed before the rows, which always exist before anything on the machine.
  const found = host.listWebsites()
  await host.removeWebsites(await listOrphaned(db, found))
}
