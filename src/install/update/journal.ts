import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import {
  ensureFile,
  ensureFolder,
  ensureLink,
  readFile,
  syncFolder,
} from '../../host/tools/files.ts'
import * as paths from './paths.ts'

// The records of an update, on the disk before it acts: after a kill or a power cut they show which
// releases the update was between, and what has to be undone.

const version = z.string().regex(/^[0-9]+\.[0-9]+\.[0-9]+$/)
const kind = z.enum(['update', 'rollback'])

const Request = z.strictObject({
  kind,
  to: version,
  /** The manifest's path or address; null if nothing is downloaded. */
  manifest: z.string().nullable(),
  /** Whether a rollback also restores the rows. */
  restoresDatabase: z.boolean(),
})

const Journal = z.strictObject({
  kind,
  from: version,
  to: version,
  step: z.string(),
  /** Tasks that were paused for it. */
  paused: z.array(z.string()),
})

const Outcome = z.strictObject({
  kind,
  from: version,
  to: version,
  at: z.iso.datetime(),
  outcome: z.enum(['done', 'undone', 'half undone', 'refused']),
  /** The step that failed, and the reason. */
  step: z.string().nullable(),
  reason: z.string().nullable(),
})

const History = z.strictObject({
  /** No update installs a version below it. */
  highest: version.nullable(),
  /** The possible rollback targets, the latest first. */
  previous: z.array(version),
})

export type Request = z.infer<typeof Request>
export type Journal = z.infer<typeof Journal>
export type Outcome = z.infer<typeof Outcome>
export type History = z.infer<typeof History>

function read<T>(path: string, schema: z.ZodType<T>): T | undefined {
  const text = readFile(path)
  return text === undefined ? undefined : schema.parse(JSON.parse(text))
}

async function write(path: string, content: object): Promise<void> {
  ensureFolders()
  await ensureFile(path, `${JSON.stringify(content)}\n`, 0o600)
}

function ensureFolders(): void {
  // Its parent is the panel's state folder, which `panel install` made.
  ensureFolder(paths.updateFolder, 0o700)
  ensureFolder(paths.downloadFolder, 0o700)
  ensureFolder(paths.dumpFolder, 0o700)
}

export const readRequest = () => read(paths.requestFile, Request)
export const writeRequest = (request: Request) => write(paths.requestFile, request)

export const readJournal = () => read(paths.journalFile, Journal)

/** Writes the journal; the link to the release that undoes it is there before. */
export async function writeJournal(journal: Journal): Promise<void> {
  ensureFolders()
  if (ensureLink(paths.driverLink, `/opt/panel/releases/${journal.from}`)) {
    await syncFolder(paths.updateFolder)
  }
  await write(paths.journalFile, journal)
}

export async function removeJournal(): Promise<void> {
  if (!existsSync(paths.journalFile)) return
  rmSync(paths.journalFile)
  await syncFolder(dirname(paths.journalFile))
}

export const readOutcome = () => read(paths.outcomeFile, Outcome)
export const writeOutcome = (outcome: Omit<Outcome, 'at'>) =>
  write(paths.outcomeFile, { ...outcome, at: new Date().toISOString() })

export const readHistory = (): History =>
  read(paths.historyFile, History) ?? { highest: null, previous: [] }
export const writeHistory = (history: History) => write(paths.historyFile, history)
