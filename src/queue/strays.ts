import type { Db } from '../db.ts'
import { listSiteIds, listSiteNames } from '../model/database-health.ts'
import type { Host } from '../model/host.ts'

/** Has visitors find no website that no account has, and none by a name that it does not have. */
export async function removeStrays(db: Db, host: Host): Promise<void> {
  // Looked for before the rows, which are there before the machine has anything of them.
  const [ids, names] = [host.listWebsites(), host.listWebsiteNames()]
  const [knownIds, knownNames] = await Promise.all([listSiteIds(db), listSiteNames(db)])
  await host.removeWebsites(without(ids, knownIds))
  await host.removeNames(without(names, knownNames))
}

function without(found: readonly string[], known: readonly string[]): string[] {
  const all = new Set(known)
  return found.filter(one => !all.has(one))
}
