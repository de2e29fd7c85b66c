import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, type Pool, run, oneFirst } from '../../db.ts'
import type { Started, Step } from '../operations/operations.ts'

// The steps of a running operation are only in its worker's memory, because writing them would slow
// every operation. A notification requests them; the worker writes them into the row and notifies.
// Notifications carry the id only, because every role can listen to them.

// A worker answers in milliseconds, unless it has ended or hangs.
const timeoutMs = 1_000

/** Answers a request for steps, as the worker. */
export const reportSteps = (
  db: Db,
  { id, epoch }: Pick<Started, 'id' | 'epoch'>,
  steps: readonly Step[],
) => run(db)`
  select panel.report_steps(${id}, ${epoch}, ${JSON.stringify(steps)})`

/** Returns the steps of a running operation; undefined if no worker answers. */
export async function askSteps(db: Pool, id: string): Promise<Step[] | undefined> {
  const client = await db.connect()
  const answered = Promise.withResolvers<true>()
  const onNotification = ({ payload }: { payload?: string | undefined }) => {
    if (payload === id) answered.resolve(true)
  }
  try {
    client.on('notification', onNotification)
    await run(client)`listen steps_reported`
    await run(client)`select pg_notify('steps_asked', ${id})`
    const isAnswered = await Promise.race([
      answered.promise,
      sleep(timeoutMs, undefined, { ref: false }),
    ])
    if (!isAnswered) return undefined
    return (
      (await oneFirst<Step[] | null>(client)`select panel.show_running_steps(${id})`) ?? undefined
    )
  } finally {
    client.off('notification', onNotification)
    // Closed instead of returned to the pool, because it listens.
    client.release(true)
  }
}
