import type { Db } from '../db.ts'
import { listSiteIds } from '../model/database-health.ts'
import type { Host } from '../model/host.ts'

/** Has visitors find no website that no account has. */
export async function removeStrays(db: Db, host: Host): Promise<void> {
  // Looked for before the rows, which are there before the machine has anything of them.
  const found = host.listWebsites()
  const known = new Set(await listSiteIds(db))
  await host.removeWebsites(found.filter(id => !known.has(id)))
}
