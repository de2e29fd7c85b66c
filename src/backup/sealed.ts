import { open, type FileHandle } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { Decrypter, Encrypter } from 'age-encryption'
import { PanelError } from '../errors.ts'

// Encryption of backups, which contain keys: to a passphrase, in the format of age
// (age-encryption.org/v1), so that a backup can be opened without the panel too.

/** The work factor of scrypt, age's default: 256 MiB and a second. */
export const keyCost = { log2: 18 }

// Every file of that format begins with it.
const magic = 'age-encryption.org/v1\n'

/**
 * Creates a file that only its owner may read, and returns a function that encrypts a stream into
 * it. Call it before anything that others wait for: deriving the key blocks the process for a
 * second or more.
 */
export async function prepareSealed(
  path: string,
  passphrase: string,
  content: Readable,
  onBytes: (bytes: number) => void,
): Promise<() => Promise<void>> {
  const file: FileHandle = await open(path, 'wx', 0o600)
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(keyCost.log2)
  const sealed = await encrypter.encrypt(Readable.toWeb(content) as ReadableStream<Uint8Array>)
  return async () => {
    // Flush to the disk before reading back.
    const target = file.createWriteStream({ flush: true })
    await pipeline(fromWeb(sealed), counted(onBytes), target)
  }
}

/**
 * Returns the decrypted content of a sealed file, as a stream that fails if the file is damaged.
 *
 * @throws {PanelError} `invalid`, if it is not a backup, or has another passphrase
 */
export async function openSealed(
  path: string,
  passphrase: string,
  onBytes: (bytes: number) => void,
): Promise<Readable> {
  await requireSealed(path)
  const decrypter = new Decrypter()
  const fileKey = await findFileKey(path, passphrase)
  decrypter.addIdentity({ unwrapFileKey: () => fileKey })
  const file = createReadStream(path, { highWaterMark: 1_048_576 })
  const bytes = Readable.from(counted(onBytes)(file), { objectMode: false })
  try {
    const opened = await decrypter.decrypt(Readable.toWeb(bytes) as ReadableStream<Uint8Array>)
    return fromWeb(opened)
  } catch (error) {
    file.destroy()
    throw refused(error)
  }
}

// A restore reads its backup more than once, and deriving the key takes a second.
const fileKeys = new Map<string, Uint8Array>()

// The header is a few lines of text.
const maxHeaderBytes = 4_096

async function findFileKey(path: string, passphrase: string): Promise<Uint8Array> {
  const start = await buffer(createReadStream(path, { end: maxHeaderBytes }))
  // The header's last line begins with `---` and holds its MAC.
  const end = start.indexOf('\n', start.indexOf('\n--- ') + 1)
  const header = start.subarray(0, end + 1)
  const name = JSON.stringify([header.toString('latin1'), passphrase])
  const known = fileKeys.get(name)
  if (known !== undefined) return known
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    const key = await decrypter.decryptHeader(header)
    fileKeys.set(name, key)
    return key
  } catch (error) {
    throw refused(error)
  }
}

/**
 * Refuses a file that is not a backup, before the passphrase is requested.
 *
 * @throws {PanelError} `invalid`
 */
export async function requireSealed(path: string): Promise<void> {
  await using file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new PanelError('invalid', `${path} cannot be read (${cause.code})`, { cause })
  })
  // Something unreadable, such as a folder, is not a backup either.
  const start = Buffer.alloc(magic.length)
  await file.read(start, 0, magic.length, 0).catch(() => undefined)
  if (start.toString('latin1') === magic) return
  throw new PanelError('invalid', `${path} is not a backup of the panel`)
}

// The library's errors have no types.
function refused(error: unknown): PanelError {
  const message = error instanceof Error ? error.message : ''
  const words = /no identity matched/.test(message)
    ? 'The passphrase is wrong for this backup'
    : `The backup is damaged (${message})`
  return new PanelError('invalid', words, { cause: error })
}

const counted = (onBytes: (bytes: number) => void) =>
  async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      onBytes(chunk.length)
      yield chunk
    }
  }

// The same type with two declarations: the browser's, which the library uses, and Node's.
const fromWeb = (stream: ReadableStream<Uint8Array>): Readable =>
  Readable.fromWeb(stream as NodeStream)
