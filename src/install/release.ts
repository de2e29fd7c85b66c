import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { installationDir } from '../config.ts'
import { PanelError } from '../errors.ts'

/** The file in which a release describes itself. */
export const releaseFile = 'release.json'

const Release = z.strictObject({
  version: z.string().regex(/^[0-9]+\.[0-9]+\.[0-9]+$/),
  architecture: z.enum(['x64', 'arm64']),
  commit: z.string(),
  builtAt: z.iso.datetime(),
})

export type Release = z.infer<typeof Release>

/** Releases, each in a folder named by its version, and the link to the current one. */
export const releasesFolder = '/opt/panel/releases'
export const currentRelease = '/opt/panel/current'

/** The name of a release's folder until it is complete. */
export const unfinished = (version: string): string => `.${version}.new`

/** Returns the release in a folder; undefined if there is none. */
export function readRelease(folder: string): Release | undefined {
  const file = join(folder, releaseFile)
  if (!existsSync(file)) return undefined
  return Release.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/**
 * Returns the release that this process runs from.
 *
 * @throws {PanelError} `invalid`, in a checkout
 */
export function ownRelease(): Release & { folder: string } {
  const release = readRelease(installationDir)
  if (release !== undefined) return { ...release, folder: installationDir }
  const words = `${installationDir} is a checkout: unpack a release and run its bin/panel install; \
npm run release builds one`
  throw new PanelError('invalid', words)
}
