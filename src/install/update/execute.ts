import { appendFileSync } from 'node:fs'
import { PanelError } from '../../errors.ts'
import type { Machine } from '../../host/contract.ts'
import { hasCode } from '../../host/tools/files.ts'
import { CommandError } from '../../host/tools/run.ts'
import { follow } from '../../host/tools/follow.ts'
import type { Observe } from '../../model/server/host.ts'
import { claimInstallation } from '../install-lock.ts'
import { ownRelease } from '../release.ts'
import {
  type Journal,
  readJournal,
  readRequest,
  removeJournal,
  writeJournal,
  writeOutcome,
} from './journal.ts'
import { updateLog } from './paths.ts'
import type { Change, ChangeStep } from './change.ts'
import { isAway } from './database-answers.ts'
import { removeHalfMade } from './releases.ts'
import { keep, lastStep, preparation, stepsOf } from './steps.ts'
import { undoUpdate } from './rollback.ts'
import { retryLater } from './unit.ts'

// The program of the unit: runs the steps of a request and records each before it begins. A failure
// is undone at once; a kill or a power cut by the next run.

/** 1 if something is left that the next resume may complete. */
type Ended = 0 | 1

/** Executes the recorded request of `panel update` or `panel rollback`. */
export async function executeRequest(machine: Machine): Promise<Ended> {
  const request = readRequest()
  if (request === undefined) throw new PanelError('invalid', 'No update was requested')
  const { kind, to } = request
  const { version: from } = ownRelease()
  const refuse = async (step: string | null, error: unknown): Promise<void> => {
    report(`${wordsOf(error)}\nNothing was changed.`)
    await writeOutcome({ kind, from, to, outcome: 'refused', step, reason: wordsOf(error) })
  }
  try {
    claimInstallation()
  } catch (error) {
    await refuse(null, error)
    return 0
  }
  if (!(await finishInterrupted(false))) return 1
  const journal: Journal = { kind, from, to, step: '', paused: [] }
  const change: Change = { request, journal, machine }
  const [before, steps] = [preparation[kind], stepsOf(request)]
  let step = ''
  const observe = reporting([...before, ...steps].length, name => (step = name))
  const prepare = follow(before, ({ act }) => act(change), observe)
  const isReady = await prepare.then(reportAll, async error => {
    await refuse(step, error)
    return false
  })
  if (!isReady) return 0
  try {
    reportAll(await follow(steps, each => written(change, each), observe))
    report(`${to} is running.`)
    return 0
  } catch (error) {
    if (journal.step !== lastStep.name) return (await undo(journal, false, wordsOf(error))) ? 0 : 1
    report(`${wordsOf(error)}\n${to} is running; the remaining work is retried.`)
    return 1
  }
}

/** Undoes an interrupted change; services start after it. */
export async function resume(): Promise<Ended> {
  claimInstallation()
  return (await finishInterrupted(true)) ? 0 : 1
}

async function written(change: Change, { name, act }: ChangeStep): Promise<string | void> {
  change.journal.step = name
  await writeJournal(change.journal)
  return act(change)
}

/** Returns whether nothing of it is left. */
async function finishInterrupted(isAtStart: boolean): Promise<boolean> {
  const journal = readJournal()
  if (journal?.step === lastStep.name) await keep(journal)
  else if (journal !== undefined) {
    const isUndone = await undo(journal, isAtStart, `Interrupted in ${journal.step}`)
    if (!isUndone) return false
  }
  removeHalfMade()
  return true
}

async function undo(journal: Journal, isAtStart: boolean, reason: string): Promise<boolean> {
  const { kind, from, to, step } = journal
  report(`${step}: ${reason}\nBack to ${from}.`)
  try {
    await undoUpdate(journal, isAtStart, reporting(undefined))
    await writeOutcome({ kind, from, to, outcome: 'undone', step, reason })
    await removeJournal()
    const how = isAtStart ? 'is starting again; check it with panel ctl doctor' : 'is running again'
    report(`${from} ${how}. Nothing of ${to} is left.`)
    return true
  } catch (error) {
    await writeOutcome({ kind, from, to, outcome: 'half undone', step, reason })
    if (isAtStart && isAway(error)) {
      await retryLater()
      report(`${wordsOf(error)}\nThe database does not answer: retrying in a minute.`)
      return false
    }
    report(`${wordsOf(error)}\nIt could not be undone completely: run panel ctl doctor, fix what \
it reports, and run panel update again.`)
    return false
  }
}

/** Reports each step as it begins. */
const reporting = (
  total: number | undefined,
  note: (name: string) => void = () => undefined,
): Observe => {
  let count = 0
  return async (name, work) => {
    count += 1
    note(name)
    report(total === undefined ? `  ${name}` : `[${count}/${total}] ${name}`)
    await work()
  }
}

function reportAll(sentences: readonly string[]): true {
  for (const sentence of sentences) report(sentence)
  return true
}

/** Writes to the log, and to the unit's output for the following command. */
function report(words: string): void {
  appendFileSync(updateLog, `${words}\n`, { mode: 0o640 })
  process.stdout.write(`${words}\n`)
}

const wordsOf = (error: unknown): string => {
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) {
    return `The disk is full: free some space and try again (${toText(error)})`
  }
  const isExpected = error instanceof PanelError || error instanceof CommandError
  return isExpected || !(error instanceof Error) ? toText(error) : (error.stack ?? error.message)
}

const toText = (error: unknown): string => (error instanceof Error ? error.message : String(error))
