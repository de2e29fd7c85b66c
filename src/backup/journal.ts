import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { ensureFile, readFile, syncFolder } from '../host/tools/files.ts'
import { BackupWarning } from '../model/server/backup-warnings.ts'
import { restoreJournal } from '../unfinished-restore.ts'

// The journal lets a restore that was killed continue. While it exists the panel does not start.

/** The steps of a restore, in their order. */
export const steps = ['database', 'files', 'placed'] as const

const Journal = z.object({
  /** The backup's id. */
  backup: z.string(),
  done: z.array(z.enum(steps)),
  /** Files that could not be made on this machine: a continued restore reports them too. */
  warnings: z.array(BackupWarning).default([]),
})

export type Journal = z.infer<typeof Journal>
export type Step = Journal['done'][number]

/** Returns the journal of an unfinished restore. */
export function readJournal(stateDir: string): Journal | undefined {
  const text = readFile(restoreJournal(stateDir))
  return text === undefined ? undefined : Journal.parse(JSON.parse(text))
}

export async function writeJournal(stateDir: string, journal: Journal): Promise<void> {
  await ensureFile(restoreJournal(stateDir), `${JSON.stringify(journal)}\n`, 0o600)
}

export async function removeJournal(stateDir: string): Promise<void> {
  const path = restoreJournal(stateDir)
  rmSync(path, { force: true })
  await syncFolder(dirname(path))
}
