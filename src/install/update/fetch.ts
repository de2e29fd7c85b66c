import { createHash } from 'node:crypto'
import { createReadStream, existsSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import pRetry from 'p-retry'
import { PanelError } from '../../errors.ts'
import { hasCode } from '../../host/tools/files.ts'
import type { Manifest } from '../manifest.ts'
import { reasonOf } from './source.ts'

// A connection over which nothing comes for so long is given up, and asked again from there.
const silenceMs = 30_000
const retries = 5

const full = ['ENOSPC', 'EDQUOT']

/**
 * Fetches an archive to a path, from where an earlier try has ended. It is not judged yet. What was
 * fetched so far stays for the next attempt, but on a full disk.
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
      // A full disk is not emptied by trying again.
      shouldRetry: ({ error }) => !hasCode(error, ...full, 'EROFS'),
    })
  } catch (error) {
    // Nor by what is kept for another try; the database writes there too.
    if (hasCode(error, ...full)) forget(path)
    const words = `The release cannot be downloaded from ${url} (${reasonOf(error)})`
    throw new PanelError('unavailable', words, { cause: error })
  }
}

async function fetchRest(url: string, path: string, size: number): Promise<void> {
  const known = existsSync(path) ? statSync(path).size : 0
  if (known === size) return
  // Of another release, or written by a server that sends more than there is.
  const start = known > size ? 0 : known
  const stop = new AbortController()
  let timer = setTimeout(() => stop.abort(), silenceMs)
  const file = await open(path, start === 0 ? 'w' : 'a', 0o600)
  try {
    const headers = start === 0 ? {} : { range: `bytes=${start}-` }
    const response = await fetch(url, { headers, signal: stop.signal })
    if (!response.ok) throw new Error(`it answers ${response.status}`)
    // Who sends all of it again has not understood the question.
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
 * @param place what it is called where it is something else
 * @throws {PanelError} `invalid`
 */
export async function requireSame(
  path: string,
  { size, sha256 }: Pick<Manifest, 'size' | 'sha256'>,
  place = path,
): Promise<void> {
  const hash = createHash('sha256')
  if (existsSync(path) && statSync(path).size === size) {
    await pipeline(createReadStream(path), hash)
    if (hash.digest('hex') === sha256) return
  }
  throw new PanelError(
    'invalid',
    `${place} does not match its manifest: \
download both again`,
  )
}

/** Throws away what was fetched, so that it is fetched again. */
export const forget = (path: string): void => rmSync(path, { force: true })
