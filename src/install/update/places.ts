import { join } from 'node:path'
import { rowsMark } from '../../unfinished-restore.ts'

// Where an update keeps what must outlive it. All of it is root's alone.

export const updateFolder = '/var/lib/panel/update'

/** What is in progress; it is there until that has ended. */
export const journalFile = join(updateFolder, 'journal.json')
/** Leads to the release that finishes or undoes it, be it which one `current` says. */
export const driverLink = join(updateFolder, 'driver')
/** What is asked of the unit that updates. */
export const requestFile = join(updateFolder, 'request.json')
/** What became of the last one. */
export const outcomeFile = join(updateFolder, 'outcome.json')
export const historyFile = join(updateFolder, 'history.json')
/** Archives, whole or in part. */
export const downloadFolder = join(updateFolder, 'download')
/** A dump of the database for each version that was left. */
export const dumpFolder = join(updateFolder, 'dumps')
/** There while other rows are to be in the place of those that a dump has. */
export const restoringFile = join(updateFolder, 'restoring')
/** There while they come, be it these or those. */
export const replacingFile = rowsMark('/var/lib/panel')
/** What the unit says, for whoever follows it. */
export const updateLog = '/var/log/panel/update.log'
