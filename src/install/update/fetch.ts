import { createHash } from 'node:crypto'
import { createReadStream, existsSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import pRetry from 'p-retry'
import { PanelError } from '../../errors.ts'
import { hasCode } from '../../host/tools/files.ts'
import type { Manifest } from '../manifest.ts'
import { reasonOf } from './source.ts'

// A connection that sends nothing for this time is given up, and the download resumes.
const silenceMs = 30_000
const retries = 5

const full = ['ENOSPC', 'EDQUOT']

/**
 * Downloads an archive to a path, resuming an earlier attempt. It is not validated yet. A partial
 * download is kept for the next attempt, except on a full disk.
 *
 * @throws {PanelError} `unavailable`
 */
export async function fetchArchive(
  url: string,
  path: string,
  { size }: Pick<Manifest, 'size'>,
  options: { minTimeoutMs?: number } = {},
): Promise<void> {
  try {
    await pRetry(() => fetchRest(url, path, size), {
      retries,
      minTimeout: options.minTimeoutMs ?? 1_000,
      // Retrying does not empty a full disk.
      shouldRetry: ({ error }) => !hasCode(error, ...full, 'EROFS'),
    })
  } catch (error) {
    // Nor does keeping the download for a retry; the database needs the space too.
    if (hasCode(error, ...full)) forget(path)
    const words = `The release cannot be downloaded from ${url} (${reasonOf(error)})`
    throw new PanelError('unavailable', words, { cause: error })
  }
}

async function fetchRest(url: string, path: string, size: number): Promise<void> {
  const known = existsSync(path) ? statSync(path).size : 0
  if (known === size) return
  // From another release, or from a server that sends too much.
  const start = known > size ? 0 : known
  const stop = new AbortController()
  let timer = setTimeout(() => stop.abort(), silenceMs)
  const file = await open(path, start === 0 ? 'w' : 'a', 0o600)
  try {
    const headers = start === 0 ? {} : { range: `bytes=${start}-` }
    const response = await fetch(url, { headers, signal: stop.signal })
    if (!response.ok) throw new Error(`it answers ${response.status}`)
    // The server ignored the Range header and sent the whole file.
    let written = response.status === 206 ? start : 0
    if (written !== start) await file.truncate(0)
    for await (const part of response.body ?? []) {
      clearTimeout(timer)
      timer = setTimeout(() => stop.abort(), silenceMs)
      const bytes = Buffer.from(part)
      written += bytes.length
      if (written > size) throw new Error(`it sends more than ${size} bytes`)
      await file.appendFile(bytes)
    }
    await file.sync()
    if (written < size) throw new Error(`it ended after ${written} of ${size} bytes`)
  } finally {
    clearTimeout(timer)
    await file.close()
  }
}

/**
 * Compares an archive with its manifest.
 *
 * @param location its name in errors, if different
 *
 * @throws {PanelError} `invalid`
 */
export async function requireSame(
  path: string,
  { size, sha256 }: Pick<Manifest, 'size' | 'sha256'>,
  location = path,
): Promise<void> {
  const hash = createHash('sha256')
  if (existsSync(path) && statSync(path).size === size) {
    await pipeline(createReadStream(path), hash)
    if (hash.digest('hex') === sha256) return
  }
  throw new PanelError(
    'invalid',
    `${location} does not match its manifest: \
download both again`,
  )
}

/** Deletes the download, so that the next attempt starts again. */
export const forget = (path: string): void => rmSync(path, { force: true })
