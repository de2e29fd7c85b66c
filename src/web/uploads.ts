import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PanelError } from '../errors.ts'
import { takingLong } from '../http/long-requests.ts'
import { log } from '../log.ts'
import { isForeign, noDump } from '../model/dumps.ts'

// Files that people send by a form, put aside for the worker: they are never whole in memory. The
// form is judged before (routes.ts), by what its address says; all that follows is the file.

// What nobody has taken by then nobody will.
const keptMs = 3_600_000
// The disk is everybody's.
const leastFree = 512 * 2 ** 20

/** Receives the one file of a form, and tells by which name the worker finds it. */
export async function receiveFile(
  message: IncomingMessage | undefined,
  { folder, limitMb }: { folder: string; limitMb: number },
): Promise<string> {
  if (message === undefined) throw broken()
  const boundary = boundaryOf(message.headers['content-type'])
  const most = limitMb * 2 ** 20
  const length = Number(message.headers['content-length'] ?? 0)
  // The form around the file is less than that.
  if (length > most + 4_096) throw tooLarge(limitMb)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize - length < leastFree) {
    throw new PanelError('unavailable', 'There is no room on the server for it now')
  }
  const id = randomBytes(16).toString('hex')
  const path = join(folder, id)
  const part = `${path}.part`
  try {
    const file = onlyFile(boundary, { most, limitMb })
    const written = createWriteStream(part, { mode: 0o600, flags: 'wx' })
    await takingLong(message, () => pipeline(message, file, written))
    await rename(part, path)
    return id
  } catch (error) {
    await rm(part, { force: true })
    if (error instanceof PanelError) throw error
    throw new PanelError('invalid', 'The file has not arrived whole', { cause: error })
  }
}

/** Takes one away that nobody is to find. */
export const discardFile = (folder: string, id: string): Promise<void> =>
  rm(join(folder, id), { force: true })

/** Removes what interrupted uploads and operations have left, now and every hour. */
export function keepClean(folder: string): void {
  const look = async () => {
    const names = await readdir(folder).catch(() => [])
    for (const name of names) {
      const found = await stat(join(folder, name)).catch(() => undefined)
      if (found === undefined || Date.now() - found.mtimeMs < keptMs) continue
      await rm(join(folder, name), { force: true })
    }
  }
  const again = () => void look().catch(error => log.error('uploads are not kept clean', error))
  again()
  setInterval(again, keptMs).unref()
}

const tooLarge = (limitMb: number): PanelError =>
  new PanelError('invalid', `The file is larger than the account's disk (${limitMb} MB)`)

function boundaryOf(type = ''): string {
  const boundary = /^multipart\/form-data;.*\bboundary="?([A-Za-z0-9'()+_,./:=? -]{1,70})"?$/i.exec(
    type,
  )?.[1]
  if (boundary !== undefined) return boundary
  throw new PanelError('invalid', 'A file is sent as multipart/form-data')
}

// A part begins with its headers and an empty line (RFC 7578), and ends before the next boundary.
const mostHeaders = 4_096

/** What is in the only part of a form: between its headers and the boundary behind it. */
function onlyFile(boundary: string, { most, limitMb }: { most: number; limitMb: number }) {
  const end = Buffer.from(`\r\n--${boundary}`)
  let held: Buffer = Buffer.alloc(0)
  let state: 'head' | 'file' | 'over' = 'head'
  let taken = 0
  const transform = (chunk: Buffer, next: TransformCallback): void => {
    if (state === 'over') return next()
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    if (state === 'head') {
      const at = held.indexOf('\r\n\r\n')
      const isLong = (at < 0 ? held.length : at) > mostHeaders
      if (isLong || !`--${boundary}\r\n`.startsWith(firstOf(held, boundary))) return next(broken())
      if (at < 0) return next()
      state = 'file'
      // The boundary may follow at once.
      held = held.subarray(at + 2)
      if (held.indexOf(end) === 0) return next(noFile())
      held = held.subarray(2)
      if (held.length > 0 && held.length >= 4 && isForeign(held)) return next(noDump())
    }
    const at = held.indexOf(end)
    // What may be the beginning of the boundary waits for the rest.
    const sure = at < 0 ? Math.max(0, held.length - end.length) : at
    if (at >= 0) state = 'over'
    taken += sure
    if (taken > most) return next(tooLarge(limitMb))
    const ready = held.subarray(0, sure)
    held = at < 0 ? held.subarray(sure) : Buffer.alloc(0)
    next(null, ready)
  }
  return new Transform({
    transform: (chunk: Buffer, _encoding, next) => transform(chunk, next),
    flush: next => {
      if (state !== 'over') next(broken())
      else if (taken === 0) next(noFile())
      else next()
    },
  })
}

const firstOf = (held: Buffer, boundary: string): string =>
  held.subarray(0, boundary.length + 4).toString('latin1')

const broken = () => new PanelError('invalid', 'The file has not arrived whole')
const noFile = () => new PanelError('invalid', 'Choose a file that is not empty')
