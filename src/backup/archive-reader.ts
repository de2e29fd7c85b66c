import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { extract, type Entry } from 'tar-stream'
import type { z } from 'zod'
import { PanelError } from '../errors.ts'
import {
  Description,
  descriptionName,
  Manifest,
  manifestName,
  maxManifestBytes,
  partBytes,
  streamOf,
} from './manifest.ts'
import { openSealed } from './sealed.ts'

/** Receives the content of one stream of a backup. */
export type Sink = { write(part: Buffer): Promise<void>; end(): Promise<void> }

/** Handles the entries of a backup as they are read. */
export type Visitor = {
  onFile?: (name: string, data: Buffer) => Promise<void>
  /** Undefined skips the stream. */
  openStream?: (name: string) => Promise<Sink | undefined>
  /** If true, reading ends: the rest is neither read nor checked. */
  isDone?: () => boolean
  /** Called with the number of bytes read from the file since the last call. */
  onBytes?: (bytes: number) => void
}

/**
 * Reads a whole backup and checks it against its manifest. Entries are authentic already when they
 * are visited: without the passphrase no part of the file can be changed.
 *
 * @throws {PanelError} `invalid`, if it is damaged, truncated, or has another passphrase
 */
export async function readArchive(
  path: string,
  passphrase: string,
  visitor: Visitor = {},
): Promise<Description> {
  const content = await openSealed(path, passphrase, visitor.onBytes ?? (() => undefined))
  const seen: Manifest = {}
  let description: Description | undefined
  let manifest: Manifest | undefined
  let current: { stream: string; sink: Sink | undefined } | undefined
  try {
    for await (const { name, data } of entriesOf(content)) {
      if (manifest !== undefined) throw damaged('there is data after its end')
      if (name === manifestName) {
        manifest = parse(Manifest, data)
        continue
      }
      seen[name] = { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') }
      const stream = streamOf(name)
      if (current !== undefined && current.stream !== stream) {
        await current.sink?.end()
        current = undefined
      }
      if (visitor.isDone?.() === true && description !== undefined) return description
      if (name === descriptionName) description = parse(Description, data)
      else if (stream === undefined) await visitor.onFile?.(name, data)
      else {
        current ??= { stream, sink: await visitor.openStream?.(stream) }
        await current.sink?.write(data)
      }
    }
    await current?.sink?.end()
  } finally {
    content.destroy()
  }
  if (description === undefined || manifest === undefined) throw damaged('it is incomplete')
  compare(manifest, seen)
  return description
}

// An error in here means that the archive, or the encryption around it, is damaged.
async function* entriesOf(content: Readable): AsyncGenerator<{ name: string; data: Buffer }> {
  const archive = extract()
  content.on('error', error => archive.destroy(error))
  content.pipe(archive)
  const entries = archive[Symbol.asyncIterator]()
  for (;;) {
    let read: { name: string; data: Buffer }
    try {
      const next = await entries.next()
      if (next.done === true) return
      read = await readEntry(next.value)
    } catch (error) {
      if (error instanceof PanelError) throw error
      throw damaged(error instanceof Error ? error.message : `${error}`, error)
    }
    yield read
  }
}

async function readEntry(entry: Entry): Promise<{ name: string; data: Buffer }> {
  const { name, size = 0 } = entry.header
  if (size > (name === manifestName ? maxManifestBytes : partBytes)) {
    throw damaged(`${name} is too large`)
  }
  return { name, data: await buffer(entry) }
}

function parse<Schema extends z.ZodType>(schema: Schema, data: Buffer): z.output<Schema> {
  let value: unknown
  try {
    value = JSON.parse(data.toString())
  } catch (error) {
    throw damaged('its description cannot be read', error)
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new PanelError('invalid', 'This release cannot read the format of this backup')
}

function compare(manifest: Manifest, seen: Manifest): void {
  const names = Object.keys(manifest)
  if (names.length !== Object.keys(seen).length) throw damaged('some of its entries are missing')
  for (const [name, { bytes, sha256 }] of Object.entries(manifest)) {
    if (seen[name]?.bytes === bytes && seen[name].sha256 === sha256) continue
    throw damaged(`${name} does not match its checksum`)
  }
}

const damaged = (why: string, cause?: unknown): PanelError =>
  new PanelError('invalid', `The backup is damaged: ${why}`, { cause })
