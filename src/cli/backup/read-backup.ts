import { statSync } from 'node:fs'
import type { BaseContext } from 'clipanion'
import { readPassphrase } from '../passphrase.ts'
import { openProgress, type Progress } from '../progress.ts'

type Terminal = Pick<BaseContext, 'stdin' | 'stderr'>

/** Asks for the passphrase of a backup and reads it to its end. */
export async function readBackup(
  terminal: Terminal,
  doing: string,
  file: string,
  isFromStdin: boolean,
) {
  // Loaded only now, so that --help is quick.
  const { requireSealed } = await import('../../backup/sealed.ts')
  await requireSealed(file)
  const passphrase = await readPassphrase(terminal, isFromStdin)
  const progress = progressOf(terminal, doing, file)
  const { readArchive } = await import('../../backup/archive-reader.ts')
  const reading = readArchive(file, passphrase, { onBytes: progress.add })
  return { passphrase, description: await reading.finally(progress.end) }
}

/** Opens a progress bar for reading a file. */
export function progressOf({ stderr }: Terminal, doing: string, file: string): Progress {
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return openProgress(stderr, doing, size, 'MiB')
}
