import { log, redact } from '../log.ts'
import * as operations from '../model/operations.ts'
import type { Run } from './operation-types.ts'
import { retryOrExit } from './retry-or-exit.ts'

/**
 * Undoes an operation, or continues a begun undo, and releases its key: without a refusal it has
 * failed and may be tried again, with one that answer is kept.
 */
export async function undo(
  run: Run,
  cause: unknown,
  refusal: operations.Answer | null,
): Promise<void> {
  const { context, definition, started, steps } = run
  const { noun, mayEndHalfUndone = false } = definition
  const words = toWords(cause)
  // It begins only after «undo» has been committed: from here on nobody resumes the work.
  const undone = await retryOrExit(context, started.id, () =>
    operations.undo(context.pool, noun, started, words, refusal),
  )
  if (undone === undefined) return
  const isUndone = await undoOnMachine({ ...run, started: { ...started, ...undone } })
  await retryOrExit(context, started.id, () =>
    isUndone || mayEndHalfUndone
      ? operations.release(context.pool, noun, started, isUndone, steps)
      : operations.defer(context.pool, started, `${words} (not undone yet)`, steps),
  )
}

async function undoOnMachine(run: Run): Promise<boolean> {
  const { undo } = run.definition
  try {
    if (typeof undo === 'function') await undo(run)
    return true
  } catch (error) {
    log.error('undo failed', error, { operation: run.started.id })
    return false
  }
}

/** What the administrator reads of a failure. */
export const toWords = (cause: unknown): string =>
  String(redact(cause instanceof Error ? cause.message : cause)).slice(0, 1_000)
