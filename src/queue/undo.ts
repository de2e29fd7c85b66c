import { log, redact } from '../log.ts'
import * as operations from '../model/operations/operations.ts'
import type { Run } from './operation-types.ts'
import { retryOrExit } from './retry-or-exit.ts'

/**
 * Undoes an operation and releases its key: without a refusal it has failed and can be retried;
 * with one, that answer is kept. If an undo had already begun, its first cause stays.
 */
export async function undo(
  run: Run,
  cause: unknown,
  refusal: operations.Answer | null,
): Promise<void> {
  const { context, definition, started, steps } = run
  const { subject, mayEndHalfUndone = false } = definition
  // Starts only after «undo» has been committed: from here on no process resumes the work.
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

/** Returns why the operation is not undone; undefined if it is. */
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
 * Returns the text of a failure for the administrator. The output of a tool or another server may
 * contain anything: PostgreSQL refuses zero bytes and lone surrogates, which a cut can leave. An
 * end that cannot be recorded would end the process, again and again.
 */
export const toWords = (cause: unknown, maxCharacters = 1_000): string =>
  String(redact(cause instanceof Error ? cause.message : cause))
    .replaceAll('\0', '\ufffd')
    .slice(0, maxCharacters)
    .toWellFormed()
