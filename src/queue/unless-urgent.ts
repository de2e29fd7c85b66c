import { PanelError } from '../errors.ts'
import { findUrgent } from '../model/accounts/urgent.ts'
import type { Run } from './operation-types.ts'
import { repeat } from './upkeep.ts'

// What waits for the lane waits as long as this.
const lookMs = 300

/**
 * Has work that may take minutes end where something waits behind it in its account's lane that
 * may not: the signal says why. `isOver` tells of any other reason.
 *
 * @throws {PanelError} `invalid`, where it has not begun
 */
export async function unlessUrgent<T>(
  { context, started }: Pick<Run, 'context' | 'started'>,
  work: (signal: AbortSignal) => Promise<T>,
  isOver = async (): Promise<string | undefined> => undefined,
): Promise<T> {
  const end = new AbortController()
  const look = async (): Promise<void> => {
    const why = (await findUrgent(context.pool, started.id)) ?? (await isOver())
    if (why !== undefined) end.abort(why)
  }
  const looking = await repeat('urgent', look, lookMs)
  try {
    const { aborted, reason } = end.signal
    if (aborted) throw new PanelError('invalid', `It was not started: ${reason}`)
    return await work(end.signal)
  } finally {
    await looking.stop()
  }
}
