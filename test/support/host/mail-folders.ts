import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mapFile, mapNames } from '../../../src/host/mail-server/paths.ts'
import { dkimFolder, mailData, passwdFolder } from '../../../src/host/mail-server/paths.ts'

/** Makes the folders and maps that exist once the server's mail was switched on. */
export function makeMailFolders(root: string): void {
  for (const folder of [mailData, passwdFolder, dkimFolder]) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  for (const name of mapNames) writeFileSync(join(root, mapFile(name)), '', { mode: 0o640 })
}
