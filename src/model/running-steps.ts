import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Db, Pool } from '../db.ts'
import type { Step } from './operations.ts'

// The steps of an operation that is under way are in its worker's memory and nowhere else: writing
// each of them down would slow every operation. So who wants to see them asks, by a notification.

// The worker answers in milliseconds, unless it is gone or stuck.
const patienceMs = 1_000

const Told = z.object({
  id: z.string(),
  steps: z.array(
    z.object({
      step: z.string(),
      at_ms: z.number(),
      ms: z.number(),
      failed: z.literal(true).optional(),
      running: z.literal(true).optional(),
    }),
  ),
})

/** Answers whoever asks. */
export async function tellSteps(db: Db, id: string, steps: readonly Step[]): Promise<void> {
  await db.query(`select pg_notify('steps_told', $1)`, [JSON.stringify({ id, steps })])
}

/** What the worker is at with an operation; undefined where nobody answers. */
export async function askSteps(db: Pool, id: string): Promise<Step[] | undefined> {
  const client = await db.connect()
  const answer = Promise.withResolvers<Step[]>()
  const hear = ({ payload = '' }: { payload?: string | undefined }) => {
    const told = parse(payload)
    if (told?.id === id) answer.resolve(told.steps)
  }
  try {
    client.on('notification', hear)
    await client.query('listen steps_told')
    await client.query(`select pg_notify('steps_asked', $1)`, [id])
    return await Promise.race([answer.promise, sleep(patienceMs, undefined, { ref: false })])
  } finally {
    client.off('notification', hear)
    // Not given back: it listens.
    client.release(true)
  }
}

function parse(payload: string): z.output<typeof Told> | undefined {
  try {
    return Told.parse(JSON.parse(payload))
  } catch {
    return undefined
  }
}
