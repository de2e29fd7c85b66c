import { type Db, one, run } from '../../db.ts'
import { compareVersions } from './versions.ts'

// Which release can be had. The courier looks daily, where it was told where to; nothing is ever
// installed unasked.

export type NewestRelease = {
  version: string | null
  notes: string | null
  looked_at: Date | null
  error: string | null
}

export const readNewest = (db: Db) => one<NewestRelease>(db)`
  select version, notes, looked_at, error from panel.newest_release`

/** The version that is newer than the one that runs; null where there is none. */
export async function findNewer(db: Db, running: string): Promise<string | null> {
  const { version } = await readNewest(db)
  return version !== null && compareVersions(version, running) > 0 ? version : null
}

export const keepNewest = (db: Db, found: { version: string; notes: string }) => run(db)`
  update panel.newest_release
  set version = ${found.version}, notes = ${found.notes}, looked_at = now(), error = null`

/** A look that failed; what was found before stays. */
export const noteNoneFound = (db: Db, error: string) => run(db)`
  update panel.newest_release set looked_at = now(), error = ${error}`
