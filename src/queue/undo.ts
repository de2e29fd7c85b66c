import { log, redact } from '../log.ts'
import type { AccountRecord } from '../model/accounts.ts'
import * as operations from '../model/operations.ts'
import { toWork, type Run, type Work } from './operation.ts'
import { recorded } from './recorded.ts'

/**
 * Undoes an operation, or continues a begun undo, and releases its key: without a refusal it has
 * failed and may be tried again, with one that answer is kept.
 */
export async function undo(
  run: Run,
  cause: unknown,
  refusal: operations.Answer | null,
): Promise<void> {
  const { id, context, definition } = run
  const { epoch } = run.started
  const words = toWords(cause)
  // It begins only after «undo» has been committed: from here on nobody resumes the work.
  const undone = await recorded(context, id, () => operations.undo(context.pool, id, epoch, words))
  if (undone === undefined) return
  const isUndone = await undoOnMachine(run, undone.account)
  if (!isUndone && !definition.mayEndHalfUndone) {
    const deferred = `${words} (not undone yet)`
    await recorded(context, id, () => operations.defer(context.pool, id, epoch, deferred))
    return
  }
  await recorded(context, id, () => operations.release(context.pool, id, epoch, refusal, isUndone))
}

async function undoOnMachine(run: Run, record: AccountRecord | null): Promise<boolean> {
  if (record === null || record.state === 'terminated') return true
  let work: Work
  try {
    work = toWork(run, record)
  } catch {
    // A row that the machine must not see: no step has run with it, so there is nothing to undo.
    return true
  }
  try {
    await run.definition.undo(work)
    return true
  } catch (error) {
    log.error('undo failed', error, { operation: run.id })
    return false
  }
}

const toWords = (cause: unknown): string =>
  String(redact(cause instanceof Error ? cause.message : cause)).slice(0, 1_000)
