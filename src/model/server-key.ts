import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { PanelError } from '../errors.ts'

// The server's key: 32 random bytes in a file, under which is encrypted what the panel must be able
// to read again. Whoever has the database alone can read none of it.

export const keyLength = 32

/**
 * Reads the key.
 *
 * @throws {PanelError} `unavailable` if it is not there, `forbidden` if this user may not read it
 * or more people may than its owner and group
 */
export function readServerKey(path: string): Buffer {
  const file = open(path)
  try {
    // Everybody's key protects nothing; one that others can write is theirs.
    if ((fstatSync(file).mode & 0o027) !== 0) {
      throw new PanelError('forbidden', `The server's key ${path} is open to others: chmod o= it`)
    }
    const key = readFileSync(file)
    if (key.length === keyLength) return key
    throw new PanelError('unavailable', `The server's key ${path} is not ${keyLength} bytes long`)
  } finally {
    closeSync(file)
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES') {
      throw new PanelError('forbidden', `The server's key ${path} cannot be read`, { cause: error })
    }
    throw new PanelError('unavailable', `There is no key of the server at ${path}`, {
      cause: error,
    })
  }
}
