import type { Resource } from '../contract.ts'
import { removeFile } from '../tools/files.ts'

/** Root's own: a file for each account whose user may log in with a key. */
export const keysFolder = '/etc/panel/keys'

/** The keys with which an account's user may log in, which an administrator has put there. */
export const keys: Resource = {
  name: 'keys',
  // By number, so that no name's next owner inherits them.
  remove: async (machine, { uid }) => removeFile(machine.path(`${keysFolder}/${uid}`)),
  keeps: () => ({ name: 'keys', folder: keysFolder, entries: 'all' }),
}
