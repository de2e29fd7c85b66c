import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installationDir } from '../config.ts'
import { PanelError } from '../errors.ts'
import { listNames } from '../host/tools/files.ts'
import { ownKeys } from './manifest.ts'

/**
 * Reads the keys whose manifests are trusted: a new key comes with a release signed by an old one.
 */
export function readTrusted(
  folders: readonly string[] = [join(installationDir, 'update-keys'), ownKeys],
): KeyObject[] {
  return folders.flatMap(folder =>
    listNames(folder)
      .filter(name => name.endsWith('.pem'))
      .map(name => readKey(join(folder, name))),
  )
}

function readKey(path: string): KeyObject {
  try {
    return createPublicKey(readFileSync(path))
  } catch (error) {
    const words = `${path} is not a public key: replace it by one in PEM, or remove the file`
    throw new PanelError('invalid', words, { cause: error })
  }
}
