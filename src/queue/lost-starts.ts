import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import type { Db } from '../db.ts'
import { log } from '../log.ts'
import * as operations from '../model/operations/operations.ts'

// A worker that loses its connections ends, with operations in progress. These starts do not show
// that an operation ends its worker, and do not count towards the limit after which it is undone.
// The database cannot distinguish them from those of a crash. The process can: it writes them to a
// file that the next one reads.

const LostStarts = z.array(
  z.strictObject({
    id: z.uuid(),
    /** 0 if the answer to the start was lost too. */
    epoch: z.int32().min(0),
  }),
)
export type LostStart = z.infer<typeof LostStarts>[number]

/** Writes the starts in one turn of the event loop, as the process may do nothing more. */
export function writeLostStarts(file: string, starts: readonly LostStart[]): void {
  if (starts.length === 0) return
  try {
    const fresh = `${file}.new`
    rmSync(fresh, { force: true })
    writeFileSync(fresh, JSON.stringify(starts), { mode: 0o600, flag: 'wx' })
    renameSync(fresh, file)
  } catch (error) {
    log.error('lost starts cannot be recorded', error, { file })
  }
}

/** Subtracts the starts that the previous process recorded as lost. */
export async function forgiveLostStarts(db: Db, file: string): Promise<void> {
  const starts = read(file)
  if (starts.length > 0) await operations.forgive(db, starts)
  rmSync(file, { force: true })
}

function read(file: string): LostStart[] {
  if (!existsSync(file)) return []
  try {
    return LostStarts.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    log.error('lost starts cannot be read', error, { file })
    return []
  }
}
