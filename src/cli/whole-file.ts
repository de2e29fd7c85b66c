import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PanelError } from '../errors.ts'
import { refuseExisting } from './bundle/archive.ts'

/**
 * Writes a stream into a new file that only this user may read. It gets its name once it is whole
 * and on the disk: whatever ends it before, a full disk or a kill, half of it is not taken for it.
 *
 * @throws {PanelError} `busy`, if there is a file of that name; `unavailable`, where it can't be
 */
export async function writeWhole(path: string, content: Readable): Promise<void> {
  refuseExisting(path)
  const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}`)
  try {
    const file = createWriteStream(unfinished, { mode: 0o600, flags: 'wx', flush: true })
    await pipeline(content, file)
    refuseExisting(path)
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw refusal(path, error)
  }
}

// What the file system says of a write names no file.
function refusal(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  return new PanelError('unavailable', `${path} cannot be written (${code})`, { cause: error })
}
