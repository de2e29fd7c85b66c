import { existsSync, openSync, closeSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pRetry from 'p-retry'
import { PanelError } from '../../errors.ts'
import { CommandError, run } from '../../host/tools/run.ts'
import { ownRelease } from '../release.ts'
import { type Outcome, readJournal, readOutcome, type Request, writeRequest } from './journal.ts'
import { updateLog } from './places.ts'

// The change itself is a unit of systemd's, which no lost terminal ends; the command follows it.

const unit = 'panel-update'
const resumer = 'panel-update-resume.service'
const lookMs = 200

/** Whether an update or a rollback runs, or is taken back. */
export async function isUnderWay(): Promise<boolean> {
  const shown = ['show', '--value', '-p', 'ActiveState', `${unit}.service`, resumer]
  const states = (await run('systemctl', shown)).split('\n').filter(Boolean)
  return states.some(state => ['active', 'activating', 'deactivating'].includes(state))
}

/**
 * Has an update or rollback that was interrupted finished or taken back, by the release that its
 * journal names.
 *
 * @throws {PanelError} `busy`, where it is under way; `failed`, where it can't be
 */
export async function settleInterrupted(tell: (words: string) => void): Promise<void> {
  if (await isUnderWay()) throw new PanelError('busy', busy)
  const journal = readJournal()
  if (journal === undefined) return
  tell(`The ${journal.kind} to ${journal.to} was interrupted: it is taken back first`)
  await run('systemctl', ['start', '--', resumer], { timeoutMs: 900_000 }).catch(() => undefined)
  if (readJournal() === undefined) return
  throw new PanelError('failed', `It cannot be taken back: journalctl -u ${resumer}`)
}

/**
 * Starts the unit, passes on what it says, and returns what became of it.
 *
 * @throws {PanelError} `busy`, where one runs already
 */
export async function carryOutInUnit(
  request: Request,
  show: (text: string) => void,
): Promise<Outcome | undefined> {
  if (await isUnderWay()) throw new PanelError('busy', busy)
  await writeRequest(request)
  let read = existsSync(updateLog) ? statSync(updateLog).size : 0
  const before = readOutcome()
  await start()
  for (;;) {
    const isOver = !(await isUnderWay())
    const { text, end } = readFrom(updateLog, read)
    read = end
    if (text !== '') show(text)
    if (isOver) break
    await sleep(lookMs)
  }
  const outcome = readOutcome()
  return outcome?.at === before?.at ? undefined : outcome
}

const busy = `An update or rollback is under way: journalctl -fu ${unit} follows it`

async function start(): Promise<void> {
  const { folder } = ownRelease()
  // Whatever ends it is taken back at once, not by the next start of the machine.
  const options = [`--unit=${unit}`, '--collect', '--quiet', `--property=OnFailure=${resumer}`]
  const command = [join(folder, 'node'), join(folder, 'bin/panel-update.ts')]
  // One that was killed stands as failed, also after all of it was taken back.
  await run('systemctl', ['reset-failed', '--', `${unit}.service`]).catch(() => undefined)
  try {
    await pRetry(() => run('systemd-run', [...options, '--', ...command]), {
      ...{ retries: 20, factor: 1, minTimeout: 100 },
      // systemd forgets what has ended a moment later.
      shouldRetry: async ({ error }) => isTaken(error) && !(await isUnderWay()),
    })
  } catch (error) {
    throw isTaken(error) ? new PanelError('busy', busy, { cause: error }) : error
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof CommandError && /already (loaded|exists)/.test(error.stderr)

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
