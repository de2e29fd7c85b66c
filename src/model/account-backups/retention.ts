import { z } from 'zod'
import { type Db, oneFirst, run } from '../../db.ts'

// Old backups are removed once a week, by the numbers of a package.

/** The numbers of hours, days, weeks and months whose last backups are kept. */
export const Keep = z.strictObject({
  hourly: z.int().nonnegative(),
  daily: z.int().nonnegative(),
  weekly: z.int().nonnegative(),
  monthly: z.int().nonnegative(),
})
export type Keep = z.infer<typeof Keep>

const Prunable = z.strictObject({ keep: Keep, repository: z.unknown() })

/** Returns the next repository to prune, marked as if a run had begun; undefined if none is due. */
export async function findPrunable(db: Db): Promise<z.infer<typeof Prunable> | undefined> {
  const found = await oneFirst<unknown>(db)`select panel.find_prunable_repository()`
  return found === null ? undefined : Prunable.parse(found)
}

/** Deletes the rows of removed snapshots. */
export const finishPrune = (db: Db, repositoryId: string, removed: readonly string[]) =>
  run(db)`select panel.finish_prune(${repositoryId}, ${removed})`

/** Begins the backups that are due by packages; returns their number. */
export const beginDue = (db: Db) => oneFirst<number>(db)`select panel.begin_due_backups()`
