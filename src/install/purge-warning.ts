import { listNames } from '../host/tools/files.ts'
import { backupsFolder } from '../model/server/backups.ts'

/** Returns what a purge deletes for good, as a sentence for the confirmation. */
export function purgeWarning(stateDir = '/var/lib/panel'): string {
  const folder = backupsFolder(stateDir)
  const count = listNames(folder).filter(name => !name.startsWith('.')).length
  if (count === 0) return 'All accounts and their homes will be deleted.'
  const backups = count === 1 ? 'the backup' : `the ${count} backups`
  return `All accounts and their homes will be deleted, and ${backups} in ${folder}: first copy \
what you want to keep.`
}
