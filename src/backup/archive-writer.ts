import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pack, type Pack } from 'tar-stream'
import { type Manifest, manifestName, partBytes, partName } from './manifest.ts'

/** Writes the entries of a backup, one after another. */
export type ArchiveWriter = {
  content: Readable
  addFile(name: string, data: Buffer): Promise<void>
  /** Adds the content of a stream, in parts. */
  addStream(name: string, stream: AsyncIterable<Buffer>): Promise<void>
  /** Adds the manifest, the last entry. */
  finish(): Promise<void>
  /** Closes the unfinished archive; its reader gets the reason as an error. */
  abandon(reason: Error): void
}

export function openArchive(): ArchiveWriter {
  const archive = pack()
  const manifest: Manifest = {}
  const add = async (name: string, data: Buffer) => {
    await addEntry(archive, name, data)
    manifest[name] = { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') }
  }
  return {
    content: Readable.from(archive, { objectMode: false }),
    addFile: add,
    async addStream(name, stream) {
      let number = 0
      // An empty stream has one part too.
      for await (const part of parts(stream)) await add(partName(name, ++number), part)
    },
    async finish() {
      await addEntry(archive, manifestName, Buffer.from(JSON.stringify(manifest)))
      archive.finalize()
    },
    abandon: reason => archive.destroy(reason),
  }
}

function addEntry(archive: Pack, name: string, data: Buffer): Promise<void> {
  return new Promise((done, failed) => {
    const fail = () => failed(new Error('The archive was closed'))
    archive.once('close', fail)
    const entry = archive.entry({ name, size: data.length, mode: 0o600 }, error => {
      archive.off('close', fail)
      if (error) failed(error)
      else done()
    })
    // Written separately from the header, because only then does it wait for the reader.
    entry.end(data)
  })
}

async function* parts(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let bytes = 0
  let isEmpty = true
  for await (let chunk of stream) {
    while (bytes + chunk.length >= partBytes) {
      const rest = partBytes - bytes
      yield Buffer.concat([...chunks, chunk.subarray(0, rest)])
      isEmpty = false
      chunk = chunk.subarray(rest)
      chunks = []
      bytes = 0
    }
    chunks.push(chunk)
    bytes += chunk.length
  }
  if (bytes > 0 || isEmpty) yield Buffer.concat(chunks)
}
