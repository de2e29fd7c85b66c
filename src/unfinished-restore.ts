import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PanelError } from './errors.ts'

/** The journal of a restore, which exists until the restore is done. */
export const restoreJournal = (stateDir: string): string => join(stateDir, 'restore.json')

/**
 * Exists while an update or a rollback replaces the rows by a dump's, until they are complete.
 * Every process of the panel can see it, unlike the update's own files.
 */
export const rowsMark = (stateDir: string): string => join(stateDir, 'replacing-rows')

/** Returns the unfinished restore and what ends it; undefined if there is none. */
export function findUnfinished(stateDir: string): { words: string; remedy: string } | undefined {
  if (existsSync(restoreJournal(stateDir))) {
    const words = 'A restore of this server is not finished'
    return { words, remedy: 'run panel ctl dr-restore again' }
  }
  if (existsSync(rowsMark(stateDir))) {
    const words = "An earlier database was being restored, and the panel's data is incomplete"
    return { words, remedy: 'systemctl start panel-update-resume restores the previous data' }
  }
  return undefined
}

/**
 * Keeps the panel from starting on a server that is restored in part.
 *
 * @throws {PanelError} `busy`
 */
export function refuseUnfinishedRestore(stateDir: string): void {
  const found = findUnfinished(stateDir)
  if (found !== undefined) throw new PanelError('busy', `${found.words}: ${found.remedy}`)
}
