import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { PanelError } from '../../errors.ts'

// The server's key, 32 random bytes in a file, encrypts what the panel must be able to read again.
// The database alone reveals none of it.

export const keyLength = 32

/**
 * Reads the server's key.
 *
 * @throws {PanelError} `unavailable` if it is missing, `forbidden` if this user may not read it, or
 *   if users other than its owner and group may
 */
export function readServerKey(path: string): Buffer {
  const file = open(path)
  try {
    // A key that others can read protects nothing, and one that they can write is under their
    // control.
    if ((fstatSync(file).mode & 0o027) !== 0) {
      throw new PanelError(
        'forbidden',
        `The server's key ${path} is open to other users: chmod o= it`,
      )
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
    throw new PanelError('unavailable', `The server has no key at ${path}`, {
      cause: error,
    })
  }
}
