import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PanelError } from '../../errors.ts'
import { hasCode } from '../../host/tools/files.ts'
import type { Manifest } from '../manifest.ts'
import { fetchArchive, forget, requireSame } from './fetch.ts'
import { isAddress } from './source.ts'

/**
 * Downloads or copies an archive into a folder that only root may write, compares it there with its
 * manifest, and returns its path. At its source it may be changed, even while it is read.
 *
 * @throws {PanelError} `invalid`, `unavailable`
 */
export async function obtainArchive(
  location: string,
  folder: string,
  manifest: Pick<Manifest, 'archive' | 'size' | 'sha256'>,
): Promise<string> {
  const path = join(folder, manifest.archive)
  if (isAddress(location)) await fetchArchive(location, path, manifest)
  else await copyArchive(location, path, manifest)
  try {
    await requireSame(path, manifest, location)
  } catch (error) {
    forget(path)
    throw error
  }
  return path
}

async function copyArchive(
  from: string,
  path: string,
  { size }: Pick<Manifest, 'size'>,
): Promise<void> {
  // Only root can change files that are already there.
  if (from === path) return
  forget(path)
  try {
    // Reading one byte beyond the expected size shows that there is more.
    const source = createReadStream(from, { end: size })
    await pipeline(source, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    forget(path)
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES')) throw error
    const { code } = error as NodeJS.ErrnoException
    const words = `${from} cannot be read (${code}): it must be in the same folder as its manifest`
    throw new PanelError('invalid', words, { cause: error })
  }
}
