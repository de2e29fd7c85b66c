import { createWriteStream, lstatSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hasCode } from '../host/tools/files.ts'
import { PanelError } from '../errors.ts'

/** @throws {PanelError} `busy`, if there is a file of that name */
export function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  throw new PanelError('busy', `${path} already exists and will not be overwritten`)
}

/**
 * Writes a stream into a new file that only this user may read. It gets its name once it is whole
 * and on the disk: a full disk or a kill never leaves a partial file under that name.
 *
 * @throws {PanelError} `busy`, if there is a file of that name; `forbidden` where none can be made;
 *   `unavailable` where the disk takes no more
 */
export async function writeWhole(path: string, content: Readable): Promise<void> {
  refuseExisting(path)
  const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}`)
  try {
    const file = createWriteStream(unfinished, { mode: 0o600, flags: 'wx', flush: true })
    await pipeline(content, file)
    // A dump takes long. (A link could not overwrite at all, but not every file system has them.)
    refuseExisting(path)
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw refusal(path, error)
  }
}

// Adds the file's name, which errors of writes lack.
function refusal(path: string, error: unknown): unknown {
  const words = `${path} cannot be written (${(error as NodeJS.ErrnoException).code})`
  if (hasCode(error, 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EROFS')) {
    return new PanelError('forbidden', words, { cause: error })
  }
  if (hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO')) {
    return new PanelError('unavailable', words, { cause: error })
  }
  return error
}
