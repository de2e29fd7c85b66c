import { join } from 'node:path'
import { rowsMark } from '../../unfinished-restore.ts'

// Files of an update that must outlive it. All of them are root's.

export const updateFolder = '/var/lib/panel/update'

/** The update in progress; exists until that has ended. */
export const journalFile = join(updateFolder, 'journal.json')
/** Symlink to the release that resumes or undoes the update, whatever `current` points to. */
export const driverLink = join(updateFolder, 'driver')
/** The request to the unit that updates. */
export const requestFile = join(updateFolder, 'request.json')
/** The result of the last update. */
export const outcomeFile = join(updateFolder, 'outcome.json')
export const historyFile = join(updateFolder, 'history.json')
/** Archives, complete or partial. */
export const downloadFolder = join(updateFolder, 'download')
/** A dump of the database for each version that was updated or rolled back from. */
export const dumpFolder = join(updateFolder, 'dumps')
/** Exists while the database should have rows other than a dump's. */
export const restoringFile = join(updateFolder, 'restoring')
/** Exists while rows are being replaced, in either direction. */
export const replacingFile = rowsMark('/var/lib/panel')
/** The unit's output, which the command follows. */
export const updateLog = '/var/log/panel/update.log'
