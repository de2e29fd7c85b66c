import { isAbsolute, resolve } from 'node:path'
import { readFileSync } from 'node:fs'
import { PanelError } from '../../errors.ts'

// The location of a release and its manifest: next to each other, in a folder or at an address.

const manifestLimit = 100_000
const timeoutMs = 20_000

/** Returns the name of the newest release's manifest where releases are published. */
export const latestName = (architecture: string): string => `latest-linux-${architecture}.json`

const nameOf = (version: string, architecture: string): string =>
  `panel-${version}-linux-${architecture}.json`

export const isAddress = (location: string): boolean => /^https?:\/\//.test(location)

type Desired = { given: string | undefined; to: string | undefined; updateUrl: string | null }

/**
 * Returns the manifest's path or address. The argument is an archive, its manifest, or a location
 * with several; without it, PANEL_UPDATE_URL.
 *
 * @throws {PanelError} `invalid`, if neither is given
 */
export function manifestOf({ given, to, updateUrl }: Desired, architecture: string): string {
  const location = given ?? updateUrl
  if (location === null || location === undefined) {
    const words = 'No source for releases is set: give a FILE or URL, or set PANEL_UPDATE_URL'
    throw new PanelError('invalid', words)
  }
  const whole = isAddress(location) ? location : resolve(location)
  if (/\.tar\.xz$/.test(whole)) return whole.replace(/\.tar\.xz$/, '.json')
  if (/\.json$/.test(whole)) return whole
  const name = to === undefined ? latestName(architecture) : nameOf(to, architecture)
  return `${whole.replace(/\/+$/, '')}/${name}`
}

/** Returns the location of a manifest's archive. */
export const archiveOf = (manifest: string, name: string): string =>
  isAddress(manifest) ? new URL(name, manifest).href : resolve(manifest, '..', name)

/** Returns the text of a manifest. */
export async function readManifestText(location: string): Promise<string> {
  if (isAbsolute(location)) return readText(location)
  const text = await fetchText(location)
  return text
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, manifestLimit)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const words = `${path} cannot be read (${code}): give an archive with its manifest (.json) \
next to it, or a folder with both`
    throw new PanelError('invalid', words, { cause: error })
  }
}

async function fetchText(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (!response.ok) throw new Error(`it answers ${response.status}`)
    let text = ''
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString('latin1')
      if (text.length > manifestLimit) throw new Error('it is not a manifest')
    }
    return text
  } catch (error) {
    throw new PanelError('unavailable', `${url} cannot be downloaded (${reasonOf(error)})`, {
      cause: error,
    })
  }
}

/** Returns a failed request's reason. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string }; message?: string }
  return cause?.code ?? message ?? String(error)
}
