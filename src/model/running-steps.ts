import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Db, type Pool, run } from '../db.ts'
import type { Step } from './operations.ts'

// The steps of a running operation are only in its worker's memory, because writing them down would
// slow every operation. They are requested from it by a notification.

// A worker answers in milliseconds, unless it is gone or hangs.
const patienceMs = 1_000

const Answer = z.object({
  id: z.string(),
  steps: z.array(
    z.object({
      step: z.string(),
      at_ms: z.number(),
      ms: z.number(),
      failed: z.literal(true).optional(),
      error: z.string().optional(),
      running: z.literal(true).optional(),
    }),
  ),
})

/** The worker's answer to a request for steps. */
export const sendSteps = (db: Db, id: string, steps: readonly Step[]) => run(db)`
  select pg_notify('steps_told', ${JSON.stringify({ id, steps })})`

/** The steps of a running operation; undefined if no worker answers. */
export async function askSteps(db: Pool, id: string): Promise<Step[] | undefined> {
  const client = await db.connect()
  const answer = Promise.withResolvers<Step[]>()
  const onNotification = ({ payload = '' }: { payload?: string | undefined }) => {
    const parsed = parse(payload)
    if (parsed?.id === id) answer.resolve(parsed.steps)
  }
  try {
    client.on('notification', onNotification)
    await run(client)`listen steps_told`
    await run(client)`select pg_notify('steps_asked', ${id})`
    return await Promise.race([answer.promise, sleep(patienceMs, undefined, { ref: false })])
  } finally {
    client.off('notification', onNotification)
    // Closed instead of returned to the pool, because it listens.
    client.release(true)
  }
}

function parse(payload: string): z.output<typeof Answer> | undefined {
  try {
    return Answer.parse(JSON.parse(payload))
  } catch {
    return undefined
  }
}
