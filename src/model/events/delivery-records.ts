import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { all, type Db, oneOrThrow, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { type Event, eventName, type EventName } from './events.ts'
import { unknownWebhook } from './webhooks.ts'

// Deliveries as an administrator sees them: what was sent and answered, and sending it again.

export const DeliveryFilter = z.strictObject({
  state: z
    .enum(
      ['due', 'delivered', 'failed', 'cancelled'],
      'must be due, delivered, failed or cancelled',
    )
    .optional(),
  event: eventName.optional(),
  /** The page after this delivery: those that are older. */
  after: z.uuid().optional(),
  limit: z.int().min(1, 'must be at least 1').max(1_000, 'must be at most 1000'),
})

export type Attempt = {
  number: number
  started_at: Date
  duration_ms: number
  /** The answer's status; null where no answer came. */
  status: number | null
  /** Null unless the attempt failed. */
  error: string | null
  /** The beginning of the answer's body, as text. */
  answer: string | null
}

export type Delivery = {
  id: string
  webhook_id: string
  /** The webhook's present one, which an earlier try may not have gone to. */
  url: string
  event_id: string
  event: EventName
  is_test: boolean
  /** The delivery that this one repeats; null for one that an event has made. */
  redelivery_of: string | null
  state: 'due' | 'delivered' | 'failed' | 'cancelled'
  /** When the next attempt is due; null where there is none. */
  due_at: Date | null
  created_at: Date
  finished_at: Date | null
  attempts: Attempt[]
}

/** The latest deliveries, the newest first. */
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

// JSON of the database has times in whatever zone its server is. A receiver may answer any bytes:
// those that are not UTF-8 become replacement characters.
const readable = (delivery: Delivery): Delivery => ({
  ...delivery,
  attempts: delivery.attempts.map(each => ({
    ...each,
    started_at: new Date(each.started_at),
    answer: each.answer === null ? null : Buffer.from(each.answer, 'base64').toString('utf8'),
  })),
})

/**
 * Sends again what a past delivery has sent; returns the id of the new delivery.
 *
 * @param as its id: asked twice with the same one, it is sent once
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
 * Sends a test event to one webhook, in a single try; returns the delivery's id.
 *
 * @param as that id: asked twice with the same one, it is sent once
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
