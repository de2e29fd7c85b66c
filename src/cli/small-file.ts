import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { PanelError } from '../errors.ts'

// Files that a command is given hold a few hundred bytes.
const maxBytes = 65_536

/**
 * Reads the text of a small file.
 *
 * @throws {PanelError} `invalid` where it cannot be read, or is too long for what it should be
 */
export async function readSmallFile(path: string, what: string): Promise<string> {
  try {
    // `end` is inclusive: one byte too many is read where the file is too long.
    const read = await buffer(createReadStream(path, { end: maxBytes }))
    if (read.length > maxBytes) throw new PanelError('invalid', `This is not ${what}`)
    return read.toString()
  } catch (error) {
    throw unless(error, `${path} cannot be read`)
  }
}

/** Returns the error of a file as a sentence, unless it is one. */
export function unless(error: unknown, words: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof PanelError || typeof code !== 'string') return error
  return new PanelError('invalid', `${words} (${code})`, { cause: error })
}
