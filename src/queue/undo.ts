import { log, redact } from '../log.ts'
import * as operations from '../model/operations.ts'
import { retryOrExit } from './retry-or-exit.ts'
import { toWork, type Run, type Work } from './operation-types.ts'

/**
 * Undoes an operation, or continues a begun undo, and releases its key: without a refusal it has
 * failed and may be tried again, with one that answer is kept.
 */
export async function undo(
  run: Run,
  cause: unknown,
  refusal: Pick<operations.Answer, 'status' | 'body'> | null,
): Promise<void> {
  const { id, context, definition } = run
  const { epoch } = run.started
  const words = toWords(cause)
  // It begins only after «undo» has been committed: from here on nobody resumes the work.
  const undone = await retryOrExit(context, id, () =>
    operations.undo(context.pool, id, epoch, words, refusal),
  )
  if (undone === undefined) return
  const isUndone = await undoOnMachine(run, undone)
  if (!isUndone && !definition.mayEndHalfUndone) {
    const deferred = `${words} (not undone yet)`
    await retryOrExit(context, id, () =>
      operations.defer(context.pool, id, epoch, deferred, run.steps),
    )
    return
  }
  await retryOrExit(context, id, () =>
    operations.release(context.pool, id, epoch, isUndone, run.steps),
  )
}

async function undoOnMachine(
  run: Run,
  { account: record, passwordHash }: Pick<operations.Started, 'account' | 'passwordHash'>,
): Promise<boolean> {
  if (record === null || record.state === 'terminated') return true
  let work: Work
  try {
    work = toWork(run, record, passwordHash)
  } catch (error) {
    // A row that the machine must not see; an earlier start may have worked with a better one.
    log.error('a row cannot be undone', error, { operation: run.id })
    return false
  }
  try {
    await run.definition.undo?.(work)
    return true
  } catch (error) {
    log.error('undo failed', error, { operation: run.id })
    return false
  }
}

/** What the administrator reads of a failure. */
export const toWords = (cause: unknown): string =>
  String(redact(cause instanceof Error ? cause.message : cause)).slice(0, 1_000)
