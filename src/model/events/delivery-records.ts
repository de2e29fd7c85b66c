import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { all, type Db, oneOrThrow, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { type Event, eventName, type EventName } from './events.ts'
import { unknownWebhook } from './webhooks.ts'

// Deliveries for administrators: what was sent and answered, and redelivery.

export const DeliveryFilter = z.strictObject({
  state: z
    .enum(
      ['due', 'delivered', 'failed', 'cancelled'],
      'must be due, delivered, failed or cancelled',
    )
    .optional(),
  event: eventName.optional(),
  /** Continues after this delivery: only older ones are returned. */
  after: z.uuid().optional(),
  limit: z.int().min(1, 'must be at least 1').max(1_000, 'must be at most 1000'),
})

export type Attempt = {
  number: number
  started_at: Date
  duration_ms: number
  /** The status of the answer; null without an answer. */
  status: number | null
  /** Null unless the attempt failed. */
  error: string | null
  /** The beginning of the answer's body, as text. */
  answer: string | null
}

export type Delivery = {
  id: string
  webhook_id: string
  /** The current address of the webhook; earlier attempts may have gone to another. */
  url: string
  event_id: string
  event: EventName
  is_test: boolean
  /** The delivery that this one repeats; null for the first delivery of an event. */
  redelivery_of: string | null
  state: 'due' | 'delivered' | 'failed' | 'cancelled'
  /** When the next attempt is due; null if there is none. */
  due_at: Date | null
  created_at: Date
  finished_at: Date | null
  attempts: Attempt[]
}

/** Returns the latest deliveries, newest first. */
export async function listDeliveries(
  db: Db,
  {
    webhookId,
    state,
    event,
    after,
    limit,
  }: z.infer<typeof DeliveryFilter> & {
    webhookId?: string | undefined
  },
): Promise<Delivery[]> {
  const rows = await all<Delivery>(db)`
    select ${columns}
    from panel.list_deliveries(
      null, ${webhookId}, ${state}, ${event}, ${after}, ${limit})`
  return rows.map(readable)
}

/** @throws {PanelError} `not_found` */
export async function getDelivery(db: Db, id: string): Promise<Delivery> {
  const row = await oneOrThrow<Delivery>(db, () => unknownDelivery(id))`
    select ${columns} from panel.list_deliveries(${id})`
  return readable(row)
}

const columns = sql`id, webhook_id, url, event_id, event, is_test, redelivery_of, state, due_at,
  created_at, finished_at, attempts`

// Converts the times, which JSON from the database has in the server's time zone, and the answer: a
// receiver may send any bytes, and invalid UTF-8 becomes replacement characters.
const readable = (delivery: Delivery): Delivery => ({
  ...delivery,
  attempts: delivery.attempts.map(each => ({
    ...each,
    started_at: new Date(each.started_at),
    answer: each.answer === null ? null : Buffer.from(each.answer, 'base64').toString('utf8'),
  })),
})

/**
 * Sends the event of a past delivery again; returns the id of the new delivery.
 *
 * @param as the id of the new delivery: repeated with the same id, it is sent once
 * @throws {PanelError} `not_found`; `invalid` if it is in progress, or its webhook was removed
 */
export async function redeliver(db: Db, id: string, as: string = randomUUID()): Promise<string> {
  const made = await oneFirst<string | null>(db)`select panel.redeliver(${id}, ${as})`
  if (made !== null) return made
  const { state } = await getDelivery(db, id)
  const reason = state === 'due' ? 'is still in progress' : 'belongs to a webhook that was removed'
  throw new PanelError('invalid', `The delivery ${id} ${reason}`)
}

/**
 * Sends a test event to one webhook, in a single attempt; returns the delivery's id.
 *
 * @param as the id of the delivery: repeated with the same id, it is sent once
 * @throws {PanelError} `not_found`
 */
export async function tryOut(
  db: Db,
  webhookId: string,
  { name, body }: Event,
  as: string = randomUUID(),
): Promise<string> {
  const made = await oneFirst<string | null>(db)`
    select panel.try_out_webhook(${webhookId}, ${name}, ${body}, ${as})`
  if (made === null) throw unknownWebhook(webhookId)
  return made
}

const unknownDelivery = (id: string): PanelError =>
  new PanelError('not_found', `Unknown delivery: ${id}`)
