import { lstat, mkdir, rm } from 'node:fs/promises'
import { PanelError } from '../errors.ts'
import { ensureOwned } from './postgres-cluster.ts'
import type { PostgresPaths } from './postgres-paths.ts'
import type { UnixUser } from './postgres-user.ts'

/**
 * Makes an empty folder for the socket; earlier content belonged to a server that is gone.
 *
 * @throws {PanelError} forbidden, if the short folder is not ours
 */
export async function ensureSocketDir(
  { socketDir, shortDir }: PostgresPaths,
  user: UnixUser | undefined,
): Promise<void> {
  if (shortDir !== undefined) await ensurePrivate(shortDir)
  await rm(socketDir, { recursive: true, force: true })
  await ensureOwned(socketDir, user)
}

/** Removes the folder outside the state directory. */
export async function removeShortDir({ shortDir }: PostgresPaths): Promise<void> {
  if (shortDir !== undefined) await rm(shortDir, { recursive: true, force: true })
}

// In /tmp any user could have made a folder of that name before.
async function ensurePrivate(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const folder = await lstat(path)
  const isPrivate = folder.isDirectory() && (folder.mode & 0o077) === 0
  if (!isPrivate || folder.uid !== process.getuid?.()) {
    throw new PanelError(
      'forbidden',
      `PostgreSQL's socket needs the folder ${path}, which belongs to another user`,
    )
  }
}
