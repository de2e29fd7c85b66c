import { PanelError } from '../../errors.ts'
import { type Manifest, readManifest } from '../manifest.ts'
import { readTrusted } from '../trusted-keys.ts'
import { manifestOf, readManifestText } from './source.ts'

/**
 * The newest release at an address, which has signed it lately: who shows an old manifest could
 * keep a server from what it lacks.
 */
export async function findRelease(
  updateUrl: string,
  keys = readTrusted(),
): Promise<Pick<Manifest, 'version' | 'notes'>> {
  const place = manifestOf({ given: undefined, to: undefined, updateUrl }, process.arch)
  const { version, notes, expiresAt } = readManifest(await readManifestText(place), keys)
  if (Date.parse(expiresAt) > Date.now()) return { version, notes }
  throw new PanelError('invalid', `The manifest of ${version} has expired (${expiresAt})`)
}
