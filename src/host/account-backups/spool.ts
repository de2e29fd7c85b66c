import { createWriteStream, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Spool } from '../../model/account-backups/backup-service.ts'
import type { Machine, Resource } from '../contract.ts'
import { ensureFolder, listNames } from '../tools/files.ts'
import { rowsFile, spoolFolder, spoolOf } from './paths.ts'

// The spool has what a backup contains besides files of the home. Dumps are written first, so that
// one that fails leaves no snapshot.

/** Writes rows and dumps, and returns the names of the dumps; removes what was there before. */
export async function fillSpool(
  machine: Machine,
  { account, rows }: Spool,
  resources: readonly Resource[],
  signal: AbortSignal,
): Promise<string[]> {
  const folder = machine.path(spoolOf(account.uid))
  emptySpool(machine, account.uid)
  ensureFolder(machine.path(spoolFolder), 0o700)
  ensureFolder(folder, 0o700)
  await writeDump(`${folder}/${rowsFile}`, [Buffer.from(rows)], signal)
  const files: string[] = []
  for (const { name, dumps } of resources) {
    for (const { file, read } of dumps?.(machine, account) ?? []) {
      ensureFolder(`${folder}/${name}`, 0o700)
      await writeDump(`${folder}/${name}/${file}`, read(), signal)
      files.push(`${name}/${file}`)
    }
  }
  return files
}

// Uncompressed: restic stores only what has changed since the last dump.
async function writeDump(
  path: string,
  dump: Iterable<Buffer> | AsyncIterable<Buffer>,
  signal: AbortSignal,
) {
  await pipeline(Readable.from(dump), createWriteStream(path, { mode: 0o600 }), { signal })
  const written = await open(path)
  try {
    await written.datasync()
  } finally {
    await written.close()
  }
}

export const emptySpool = (machine: Machine, uid: number): void =>
  rmSync(machine.path(spoolOf(uid)), { recursive: true, force: true })

export const listSpools = (machine: Machine): number[] =>
  listNames(machine.path(spoolFolder))
    .filter(name => /^[1-9][0-9]{0,9}$/.test(name))
    .map(Number)

/** Returns the files that a backup has to contain, with their sizes. */
export function expectedFiles(
  machine: Machine,
  { uid, dumps }: { uid: number; dumps: readonly string[] },
): Map<string, number> {
  const folder = machine.path(spoolOf(uid))
  const paths = [rowsFile, ...dumps].map(name => `${folder}/${name}`)
  return new Map(paths.map(path => [path, statSync(path).size]))
}
