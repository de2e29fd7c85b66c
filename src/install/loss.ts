import { listNames } from '../host/tools/files.ts'
import { backupsFolder } from '../model/server/backups.ts'

/** What goes for good with a purge, in a sentence for whoever is asked. */
export function whatIsLost(stateDir = '/var/lib/panel'): string {
  const folder = backupsFolder(stateDir)
  const count = listNames(folder).filter(name => !name.startsWith('.')).length
  if (count === 0) return 'All accounts and their homes will be deleted.'
  const backups = count === 1 ? 'the backup' : `the ${count} backups`
  return `All accounts and their homes will be deleted, and ${backups} in ${folder}: first copy \
what you want to keep.`
}
