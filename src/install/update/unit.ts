import { randomUUID } from 'node:crypto'
import { existsSync, openSync, closeSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../../errors.ts'
import { run } from '../../host/tools/run.ts'
import { takePidLock } from '../../pid-lock.ts'
import { ownRelease } from '../release.ts'
import { type Outcome, readJournal, readOutcome, type Request, writeRequest } from './journal.ts'
import { updateLog } from './paths.ts'
import { removeHalfMade } from './releases.ts'

// The change runs in a systemd unit, which a lost terminal does not end; the command follows it.
// Each unit has a unique name: a killed one may stay loaded for any time.

const units = 'panel-update-*'
const resumer = 'panel-update-resume.service'
/**
 * Locked while a unit is started and followed; if the command is lost, its unit remains visible.
 */
const lockFile = '/run/panel-update.lock'
const pollMs = 200

/** The command that shows the logs of all units. */
export const readingJournal = `journalctl -u '${units}'`

/** Returns whether an update or a rollback is running, or being undone. */
export async function isInProgress(): Promise<boolean> {
  const states = '--state=active,activating,deactivating'
  return (await run('systemctl', ['list-units', '--plain', '--no-legend', states, units])) !== ''
}

/**
 * Prevents any other update until this process ends, and has an interrupted one finished or undone,
 * by the release that its journal names.
 *
 * @throws {PanelError} `busy`, if one is in progress; `failed`, if the undo fails
 */
export async function finishInterrupted(report: (words: string) => void): Promise<void> {
  if (takePidLock(lockFile) !== undefined || (await isInProgress())) {
    throw new PanelError('busy', `One is already in progress: follow it with ${readingJournal} -f`)
  }
  const journal = readJournal()
  if (journal === undefined) return
  report(`The ${journal.kind} to ${journal.to} was interrupted and is undone first`)
  await waitForUndo()
  if (readJournal() === undefined) return
  throw new PanelError('failed', `It cannot be undone: for the cause see journalctl -u ${resumer}`)
}

const waitForUndo = () =>
  run('systemctl', ['start', '--', resumer], { timeoutMs: 900_000 }).catch(() => undefined)

/**
 * Starts the unit, passes on its output, and returns the result. An interrupted change is completed
 * before (`finishInterrupted`).
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
    await sleep(pollMs)
  }
  // systemd has a killed one undone a moment later.
  if (readJournal() !== undefined && news() === undefined) await waitForUndo()
  // Killed while unpacking, it has no journal yet, and nothing above has waited.
  removeHalfMade()
  // It would be listed as failed, though nothing of it is left.
  await run('systemctl', ['reset-failed', '--', units]).catch(() => undefined)
  showNews()
  return news()
}

/** Retries a failed undo in a minute; does nothing if it has succeeded by then. */
export async function retryLater(): Promise<void> {
  // Not named like the others: no update is in progress meanwhile.
  const options = ['--on-active=60s', `--unit=panel-resume-${randomUUID()}`, '--collect', '--quiet']
  await run('systemd-run', [...options, '--', 'systemctl', 'start', '--no-block', resumer])
}

async function start(): Promise<void> {
  const { folder } = ownRelease()
  const unit = units.replace('*', randomUUID())
  // However it ends, it is undone at once, not only at the next start of the machine.
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
