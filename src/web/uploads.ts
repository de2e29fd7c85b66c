import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { PanelError } from '../errors.ts'
import { takingLong } from '../http/long-requests.ts'
import { log } from '../log.ts'
import { t } from './texts/texts.ts'

// Files that people send by a form, put aside for the worker: they are never whole in memory. The
// form is validated before (routes.ts), by the values in its address; only the file follows.

// A file that the worker has not taken by then is never taken.
const keptMs = 3_600_000
// The disk is everybody's.
const minFree = 512 * 2 ** 20

type Receiving = {
  folder: string
  limitMb: number
  /** Returns why a file that begins so is refused. */
  refuse: (start: Buffer) => PanelError | undefined
}

/** Receives the one file of a form, and returns the name by which the worker finds it. */
export async function receiveFile(
  message: IncomingMessage | undefined,
  { folder, limitMb, refuse }: Receiving,
): Promise<string> {
  if (message === undefined) throw broken()
  const form = formOf(message)
  const maxBytes = limitMb * 2 ** 20
  const length = Number(message.headers['content-length'] ?? 0)
  if (length > maxBytes + maxAround) throw tooLarge(limitMb)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize - length < minFree) {
    throw new PanelError('unavailable', t('forms.serverHasNoFree'))
  }
  const id = randomBytes(16).toString('hex')
  const path = join(folder, id)
  const part = `${path}.part`
  try {
    await takingLong(message, () => readForm(message, form, { path: part, limitMb, refuse }))
    await rename(part, path)
    return id
  } catch (error) {
    await rm(part, { force: true })
    if (error instanceof PanelError) throw error
    throw new PanelError('invalid', t('forms.fileDidNotArrive'), {
      cause: error,
    })
  }
}

/** Removes a file that is no longer needed. */
export const discardFile = (folder: string, id: string): Promise<void> =>
  rm(join(folder, id), { force: true })

/** Removes what interrupted uploads and operations have left, now and every hour. */
export function keepClean(folder: string): void {
  const clean = async () => {
    const names = await readdir(folder).catch(() => [])
    for (const name of names) {
      const found = await stat(join(folder, name)).catch(() => undefined)
      if (found === undefined || Date.now() - found.mtimeMs < keptMs) continue
      await rm(join(folder, name), { force: true })
    }
  }
  const again = () => void clean().catch(error => log.error('old uploads were not removed', error))
  again()
  setInterval(again, keptMs).unref()
}

const tooLarge = (limitMb: number): PanelError =>
  new PanelError('invalid', t('forms.fileLargerThanAccounts', { limitMb }))

// Bytes that a form may have around its file: headers, boundaries, small fields.
const maxAround = 65_536

/** A reader for the form (RFC 7578). Only its file is read: what else it says is in the address. */
function formOf({ headers }: IncomingMessage): BusboyInstance {
  const type = headers['content-type'] ?? ''
  try {
    // The parser reads forms without files too.
    if (!/^multipart\/form-data *;/i.test(type)) throw new Error(t('forms.anotherType'))
    return new Busboy({
      headers: { 'content-type': type },
      limits: { files: 1, fields: 0, parts: 10, headerPairs: 20, headerSize: 4_096 },
    })
  } catch (error) {
    throw new PanelError('invalid', t('forms.fileSentMultipartForm'), { cause: error })
  }
}

/** Writes the one file of a form to `path`, whatever name the form gives it. */
async function readForm(
  message: IncomingMessage,
  form: BusboyInstance,
  { path, limitMb, refuse }: Omit<Receiving, 'folder'> & { path: string },
): Promise<void> {
  const maxBytes = limitMb * 2 ** 20
  const ended = new AbortController()
  let written: Promise<void> | undefined
  form.once('file', (_name, file) => {
    const target = createWriteStream(path, { mode: 0o600, flags: 'wx' })
    const { signal } = ended
    written = pipeline(file, atMost(maxBytes, limitMb), checkStart(refuse), target, { signal })
    // The form would wait for a file that is no longer read.
    written.catch(error => form.destroy(error))
  })
  form.once('filesLimit', () => form.destroy(oneFile()))
  form.once('partsLimit', () => form.destroy(oneFile()))
  try {
    // Skipped bytes are limited too.
    await pipeline(message, atMost(maxBytes + maxAround, limitMb), form)
    if (written === undefined) throw noFile()
    await written
  } catch (error) {
    ended.abort()
    await written?.catch(() => undefined)
    throw error
  }
}

/** Passes on at most so many bytes. */
function atMost(maxBytes: number, limitMb: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length
      if (bytes > maxBytes) next(tooLarge(limitMb))
      else next(null, chunk)
    },
  })
}

// The part of a file that `refuse` reads.
const startBytes = 512

/** Passes on nothing of a file that is empty or is refused for its start. */
function checkStart(refuse: Receiving['refuse']): Transform {
  let start: Buffer | undefined = Buffer.alloc(0)
  const refusal = (seen: Buffer) => (seen.length === 0 ? noFile() : refuse(seen))
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      if (start === undefined) return next(null, chunk)
      const seen: Buffer = Buffer.concat([start, chunk])
      start = seen.length < startBytes ? seen : undefined
      if (start === undefined) next(refusal(seen), seen)
      else next()
    },
    flush: next => (start === undefined ? next() : next(refusal(start), start)),
  })
}

const broken = () => new PanelError('invalid', t('forms.fileDidNotArrive'))
const noFile = () => new PanelError('invalid', t('forms.chooseFileNotEmpty'))
const oneFile = () => new PanelError('invalid', t('forms.sendSingleFile'))
