import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PanelError } from './errors.ts'

/** The journal of a restore, which is there until the restore is done. */
export const restoreJournal = (stateDir: string): string => join(stateDir, 'restore.json')

/**
 * Keeps the panel from starting on a server that is restored in part.
 *
 * @throws {PanelError} `busy`
 */
export function refuseUnfinishedRestore(stateDir: string): void {
  if (!existsSync(restoreJournal(stateDir))) return
  const words = 'A restore of this server is not finished: run panel ctl dr-restore again'
  throw new PanelError('busy', words)
}
