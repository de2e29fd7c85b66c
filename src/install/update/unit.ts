import { randomUUID } from 'node:crypto'
import { existsSync, openSync, closeSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../../errors.ts'
import { run } from '../../host/tools/run.ts'
import { takePidLock } from '../../pid-lock.ts'
import { ownRelease } from '../release.ts'
import { type Outcome, readJournal, readOutcome, type Request, writeRequest } from './journal.ts'
import { updateLog } from './places.ts'
import { removeHalfMade } from './releases.ts'

// The change itself is a unit of systemd's, which no lost terminal ends; the command follows it.
// Each has a name of its own: one that was killed may stay loaded as long as systemd likes.

const units = 'panel-update-*'
const resumer = 'panel-update-resume.service'
/** Held while one is begun and followed; a command that is lost leaves its unit, which is seen. */
const lockFile = '/run/panel-update.lock'
const lookMs = 200

/** How the journal of all of them is read. */
export const readingJournal = `journalctl -u '${units}'`

/** Whether an update or a rollback runs, or is taken back. */
export async function isInProgress(): Promise<boolean> {
  const states = '--state=active,activating,deactivating'
  return (await run('systemctl', ['list-units', '--plain', '--no-legend', states, units])) !== ''
}

/**
 * Keeps all others from updating until this process ends, and has what was interrupted finished or
 * taken back, by the release that its journal names.
 *
 * @throws {PanelError} `busy`, where it is in progress; `failed`, where it can't be
 */
export async function finishInterrupted(report: (words: string) => void): Promise<void> {
  if (takePidLock(lockFile) !== undefined || (await isInProgress())) {
    throw new PanelError('busy', `One is already in progress: follow it with ${readingJournal} -f`)
  }
  const journal = readJournal()
  if (journal === undefined) return
  report(`The ${journal.kind} to ${journal.to} was interrupted and is undone first`)
  await settle()
  if (readJournal() === undefined) return
  throw new PanelError('failed', `It cannot be undone: for the cause see journalctl -u ${resumer}`)
}

// Waits for whoever takes it back, be it at work or due.
const settle = () =>
  run('systemctl', ['start', '--', resumer], { timeoutMs: 900_000 }).catch(() => undefined)

/**
 * Starts the unit, passes on what it says, and returns what became of it. Whatever was interrupted
 * is settled before (`settleInterrupted`).
 */
export async function executeInUnit(
  request: Request,
  show: (text: string) => void,
): Promise<Outcome | undefined> {
  await writeRequest(request)
  let read = existsSync(updateLog) ? statSync(updateLog).size : 0
  const showNews = () => {
    const { text, end } = readFrom(updateLog, read)
    read = end
    if (text !== '') show(text)
  }
  const before = readOutcome()
  const news = () => {
    const outcome = readOutcome()
    return outcome?.at === before?.at ? undefined : outcome
  }
  await start()
  while (await isInProgress()) {
    showNews()
    await sleep(lookMs)
  }
  // One that was killed is taken back by systemd a moment later.
  if (readJournal() !== undefined && news() === undefined) await settle()
  // Killed while it unpacked, it has no journal yet, and nothing above has waited.
  removeHalfMade()
  // It would stand as failed, though nothing of it is left.
  await run('systemctl', ['reset-failed', '--', units]).catch(() => undefined)
  showNews()
  return news()
}

/** Has what could not be taken back tried again in a minute; nothing where it has been by then. */
export async function retryLater(): Promise<void> {
  // Not named like the others: nothing is in progress meanwhile.
  const options = ['--on-active=60s', `--unit=panel-resume-${randomUUID()}`, '--collect', '--quiet']
  await run('systemd-run', [...options, '--', 'systemctl', 'start', '--no-block', resumer])
}

async function start(): Promise<void> {
  const { folder } = ownRelease()
  const unit = units.replace('*', randomUUID())
  // Whatever ends it is taken back at once, not by the next start of the machine.
  const options = [`--unit=${unit}`, '--collect', '--quiet', `--property=OnFailure=${resumer}`]
  const command = [join(folder, 'node'), join(folder, 'bin/panel-update.ts')]
  await run('systemd-run', [...options, '--', ...command])
}

function readFrom(path: string, start: number): { text: string; end: number } {
  if (!existsSync(path)) return { text: '', end: start }
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, statSync(path).size - start))
    const count = readSync(file, bytes, 0, bytes.length, start)
    return { text: bytes.toString('utf8', 0, count), end: start + count }
  } finally {
    closeSync(file)
  }
}
