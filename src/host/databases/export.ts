import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { PanelError } from '../../errors.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { HostDatabase } from '../../model/databases/host-databases.ts'
import { exportKeptMs } from '../../model/databases/dumps.ts'
import { exportsPath } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { streamDump } from './dump.ts'

// Dumps for customers to download. There is at most one of each database, named by the database's
// number, which is never reused; the API finds it by the operation that wrote it.

// Enough for some gigabytes; an operation has to end some time.
const limitMs = 240_000

// The disk is everybody's: it is checked each time so many bytes have been written.
const minFree = 512 * 2 ** 20
const checkedBytes = 16 * 2 ** 20

/** Writes the dump of a database for download, in place of an earlier one; returns its size. */
export async function exportDatabase(
  machine: Machine,
  { limits }: Pick<HostAccount, 'limits'>,
  { database, signal }: { database: HostDatabase; signal: AbortSignal },
): Promise<{ bytes: number }> {
  const folder = machine.path(exportsPath)
  // An installed panel has it, readable by the API's group.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeExpiredExports(machine)
  const path = `${folder}/${database.id}`
  const part = `${path}.part`
  const late = AbortSignal.timeout(limitMs)
  const until = AbortSignal.any([signal, late])
  try {
    await pipeline(
      Readable.from(streamDump(machine, database.name, until)),
      createGzip(),
      limiting(folder, limits.diskMb),
      createWriteStream(part, { mode: 0o600, flush: true }),
      { signal: until },
    )
    const { size } = await stat(part)
    await chmod(part, 0o640)
    await rename(part, path)
    return { bytes: size }
  } catch (error) {
    await rm(part, { force: true })
    if (signal.aborted) throw new PanelError('invalid', `It was stopped: ${signal.reason}`)
    if (late.aborted) throw tooLong()
    throw error
  }
}

/** Removes exports that can no longer be downloaded, and parts that an interruption has left. */
export async function removeExpiredExports(machine: Machine): Promise<void> {
  const folder = machine.path(exportsPath)
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const found = await stat(`${folder}/${name}`).catch(() => undefined)
    if (found === undefined || Date.now() - found.mtimeMs < exportKeptMs) continue
    await rm(`${folder}/${name}`, { force: true })
  }
}

// Stops an export that is larger than the account's disk, or that would fill the server's.
function limiting(folder: string, diskMb: number): Transform {
  const maxBytes = diskMb * 2 ** 20
  let [bytes, nextCheck] = [0, 0]
  const check = async (): Promise<void> => {
    if (bytes > maxBytes) {
      const words = `The export is larger than the account's disk (${diskMb} MB)`
      throw new PanelError('invalid', words)
    }
    if (bytes < nextCheck) return
    nextCheck = bytes + checkedBytes
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize > minFree) return
    throw new PanelError('unavailable', 'The server has no free space for the export')
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length
      check().then(() => next(null, chunk), next)
    },
  })
}

const tooLong = (): PanelError =>
  new PanelError('invalid', `The export was stopped after ${limitMs / 60_000} minutes`)
