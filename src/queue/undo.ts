import { log, redact } from '../log.ts'
import * as operations from '../model/operations/operations.ts'
import type { Run } from './operation-types.ts'
import { retryOrExit } from './retry-or-exit.ts'

/**
 * Undoes an operation and releases its key: without a refusal it has failed and may be tried again,
 * with one that answer is kept. Of an undo that had begun before, the first cause stays.
 */
export async function undo(
  run: Run,
  cause: unknown,
  refusal: operations.Answer | null,
): Promise<void> {
  const { context, definition, started, steps } = run
  const { subject, mayEndHalfUndone = false } = definition
  // It begins only after «undo» has been committed: from here on nobody resumes the work.
  const undone = await retryOrExit(context, started.id, () =>
    operations.undo(context.pool, subject, started, toWords(cause), refusal),
  )
  if (undone === undefined) return
  const why = await undoOnMachine({ ...run, started: { ...started, ...undone } })
  await retryOrExit(context, started.id, () =>
    why === null || mayEndHalfUndone
      ? operations.release(context.pool, subject, started, why, steps)
      : operations.defer(context.pool, started, why, steps),
  )
}

/** Returns why it is not undone, if it is not. */
async function undoOnMachine(run: Run): Promise<string | null> {
  const { undo } = run.definition
  try {
    if (typeof undo === 'function') await undo(run)
    return null
  } catch (error) {
    log.error('undo failed', error, { operation: run.started.id })
    return toWords(error)
  }
}

/**
 * What the administrator reads of a failure. A tool or a server elsewhere may have said anything:
 * PostgreSQL takes no zero bytes, and no half of a character that a cut leaves. An end that can't
 * be recorded would end the process, again and again.
 */
export const toWords = (cause: unknown, maxCharacters = 1_000): string =>
  String(redact(cause instanceof Error ? cause.message : cause))
    .replaceAll('\0', '\ufffd')
    .slice(0, maxCharacters)
    .toWellFormed()
