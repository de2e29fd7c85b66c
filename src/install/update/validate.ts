import { PanelError } from '../../errors.ts'
import type { Manifest } from '../manifest.ts'
import { compareVersions } from '../../model/server/versions.ts'

/** The installed system that a manifest is compared with. */
export type Installed = {
  version: string
  architecture: string
  /** The newest version that was ever installed here. */
  highest: string | null
  now: Date
}

/**
 * Returns the available version, and why it cannot be installed. One that is not newer need not be.
 */
export function compare(manifest: Manifest, installed: Installed) {
  const isNewer = compareVersions(manifest.version, installed.version) > 0
  return {
    installed: installed.version,
    newest: manifest.version,
    is_newer: isNewer,
    problem:
      (isNewer ? whyNotInstall(manifest, installed) : whyExpired(manifest, installed)) ?? null,
    notes: manifest.notes,
  }
}

/** Otherwise an old manifest could keep a server from newer fixes. */
export function whyExpired(
  { version, expiresAt }: Pick<Manifest, 'version' | 'expiresAt'>,
  { now }: Pick<Installed, 'now'>,
): string | undefined {
  if (Date.parse(expiresAt) > now.getTime()) return undefined
  return `The manifest of ${version} expired (${expiresAt}): get a newer one`
}

/**
 * Refuses a release that may not follow the installed one, however well it is signed.
 *
 * @throws {PanelError} `invalid`
 */
export function validateManifest(manifest: Manifest, installed: Installed): void {
  const reason = whyNotInstall(manifest, installed)
  if (reason !== undefined) throw new PanelError('invalid', reason)
}

function whyNotInstall(manifest: Manifest, installed: Installed): string | undefined {
  const { version, architecture, follows } = manifest
  const expired = whyExpired(manifest, installed)
  if (expired !== undefined) return expired
  if (architecture !== installed.architecture) {
    return `Release ${version} is for ${architecture}, this server is ${installed.architecture}`
  }
  const newest = [installed.version, installed.highest ?? installed.version]
  const above = newest.find(known => compareVersions(version, known) < 0)
  if (above !== undefined) {
    return `${version} is older than ${above}, which was installed here: \
to go back, use panel rollback`
  }
  if (version === installed.version) return `Version ${version} is already installed`
  if (compareVersions(installed.version, follows) < 0) {
    return `${version} can only follow ${follows} or newer, and this is ${installed.version}: \
update to ${follows} first`
  }
  if (!manifest.isReadableByPrevious) {
    return `${installed.version} cannot use the schema of ${version}, so a rollback would be \
impossible: update to a release between them first`
  }
  return undefined
}
