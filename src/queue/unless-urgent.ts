import { PanelError } from '../errors.ts'
import { findUrgent } from '../model/accounts/urgent.ts'
import type { Run } from './operation-types.ts'
import { repeat } from './repeated-work.ts'

// The interval at which the lane is checked; waiting operations wait this long.
const checkMs = 300

/**
 * Ends work that may take minutes if an urgent operation waits behind it in its account's lane: the
 * signal has the reason. `isOver` returns any other reason.
 *
 * @throws {PanelError} `invalid`, if it has not begun
 */
export async function unlessUrgent<T>(
  { context, started }: Pick<Run, 'context' | 'started'>,
  work: (signal: AbortSignal) => Promise<T>,
  isOver = async (): Promise<string | undefined> => undefined,
): Promise<T> {
  const end = new AbortController()
  const check = async (): Promise<void> => {
    const why = (await findUrgent(context.pool, started.id)) ?? (await isOver())
    if (why !== undefined) end.abort(why)
  }
  const checking = await repeat('urgent', check, checkMs)
  try {
    const { aborted, reason } = end.signal
    if (aborted) throw new PanelError('invalid', `It was not started: ${reason}`)
    return await work(end.signal)
  } finally {
    await checking.stop()
  }
}
