import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { LogBatch, LogFile } from '../../model/server/logs-host.ts'
import type { Machine } from '../contract.ts'
import { accessLog } from '../web/nginx.ts'
import { sumLines } from './log-lines.ts'

// The access log of all sites and its rotated files.

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

// Bytes read and summed at a time: some 25,000 lines, about 20 ms of processor time.
const batchBytes = 1_048_576

/** Returns the current file and the rotated ones next to it, the oldest first. */
export function accessLogs(machine: Machine): LogFile[] {
  const path = machine.path(accessLog)
  for (;;) {
    const files = listFiles(path)
    // A rotation between two listings could hide a file, so a listing counts only if repeated.
    if (identities(files) === identities(listFiles(path))) return files.map(({ file }) => file)
  }
}

/** Continues reading a file, in batches of whole lines. A renamed file is left for later. */
export async function* readLog(
  machine: Machine,
  { name, inode }: LogFile,
  offset: number,
): AsyncGenerator<LogBatch> {
  const path = join(dirname(machine.path(accessLog)), name)
  const file = await fs.promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    if (toSigned((await file.stat({ bigint: true })).ino) !== inode) return
    const buffer = Buffer.alloc(batchBytes)
    for (let end = offset; ;) {
      const { bytesRead } = await file.read(buffer, 0, batchBytes, end)
      const lines = wholeLines(buffer.subarray(0, bytesRead))
      if (lines === undefined) return
      end += lines.length
      yield { end, ...sumLines(lines.toString('latin1', 0, lines.length - 1)) }
    }
  } finally {
    await file.close()
  }
}

// Returns the bytes up to the last end of line. A full buffer without one is not a line of nginx's
// and is skipped, while an unfinished line is left for the next time.
function wholeLines(bytes: Buffer): Buffer | undefined {
  const length = bytes.lastIndexOf('\n') + 1
  if (length > 0) return bytes.subarray(0, length)
  return bytes.length === batchBytes ? bytes : undefined
}

type Found = { file: LogFile; writtenAt: bigint }

function listFiles(path: string): Found[] {
  const current = basename(path)
  const isLog = (name: string) => name.startsWith(current) && !compressed.test(name)
  return fs
    .readdirSync(dirname(path))
    .filter(isLog)
    .flatMap(name => find(join(dirname(path), name), name === current))
    .sort((a, b) => Number(a.file.isCurrent) - Number(b.file.isCurrent) || older(a, b))
}

const compressed = /\.(gz|bz2|xz|zst|lz4|Z|zip)$/

const older = (a: Found, b: Found): number => (a.writtenAt < b.writtenAt ? -1 : 1)

function find(path: string, isCurrent: boolean): Found[] {
  const found = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (found?.isFile() !== true) return []
  const { dev, ino, size, birthtimeNs, ctimeNs, mtimeNs } = found
  // An unknown birth time is zero or the time of the last change.
  const isBirthKnown = birthtimeNs > 0n && birthtimeNs !== ctimeNs
  const file: LogFile = {
    name: basename(path),
    device: toSigned(dev),
    inode: toSigned(ino),
    bytes: Number(size),
    bornAt: isBirthKnown ? new Date(Number(birthtimeNs / 1_000_000n)) : undefined,
    isCurrent,
  }
  return [{ file, writtenAt: mtimeNs }]
}

// As a bigint of the database, which is signed.
const toSigned = (number: bigint): string => String(BigInt.asIntN(64, number))

const identities = (files: Found[]): string =>
  JSON.stringify(files.map(({ file }) => [file.name, file.device, file.inode]).sort())
