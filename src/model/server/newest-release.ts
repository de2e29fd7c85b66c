import { type Db, one, run } from '../../db.ts'
import { compareVersions } from './versions.ts'

// The newest available release. The courier checks daily, if configured; nothing is ever installed
// automatically.

export type NewestRelease = {
  version: string | null
  notes: string | null
  checked_at: Date | null
  error: string | null
}

export const readNewest = (db: Db) => one<NewestRelease>(db)`
  select version, notes, checked_at, error from panel.newest_release`

/** Returns the version that is newer than the running one; null if there is none. */
export async function findNewer(db: Db, running: string): Promise<string | null> {
  const { version } = await readNewest(db)
  return version !== null && compareVersions(version, running) > 0 ? version : null
}

export const keepNewest = (db: Db, found: { version: string; notes: string }) => run(db)`
  update panel.newest_release
  set version = ${found.version}, notes = ${found.notes}, checked_at = now(), error = null`

/** Records a failed check; the earlier result stays. */
export const noteNoneFound = (db: Db, error: string) => run(db)`
  update panel.newest_release set checked_at = now(), error = ${error}`
