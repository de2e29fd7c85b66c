import { PanelError } from '../../errors.ts'
import { type Manifest, readManifest } from '../manifest.ts'
import { readTrusted } from '../trusted-keys.ts'
import { whyExpired } from './validate.ts'
import { manifestOf, readManifestText } from './source.ts'

/** Returns the newest release at an address whose manifest has not expired. */
export async function findRelease(
  updateUrl: string,
  keys = readTrusted(),
): Promise<Pick<Manifest, 'version' | 'notes'>> {
  const path = manifestOf({ given: undefined, to: undefined, updateUrl }, process.arch)
  const manifest = readManifest(await readManifestText(path), keys)
  const expired = whyExpired(manifest, { now: new Date() })
  if (expired === undefined) return manifest
  throw new PanelError('invalid', expired)
}
