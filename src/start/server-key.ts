import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { keyLength } from '../model/server/server-key.ts'

/**
 * Makes the server's key if there is none. It is renamed once it is on the disk as a whole: a start
 * that is killed before that leaves no half key, and one that is killed later never makes another.
 */
export async function ensureServerKey(path: string): Promise<void> {
  if (existsSync(path)) return
  const unfinished = `${path}.new`
  await using file = await open(unfinished, 'w', 0o600)
  await file.chmod(0o600)
  await file.writeFile(randomBytes(keyLength))
  await file.sync()
  await rename(unfinished, path)
  await using folder = await open(dirname(path))
  await folder.sync()
}
