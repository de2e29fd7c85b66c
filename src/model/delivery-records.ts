import { z } from 'zod'
import { all, type Db, oneOr, sql, value } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { Event, EventName } from './events.ts'
import { unknownWebhook } from './webhooks.ts'

// Deliveries as an administrator sees them: what was sent and answered, and sending it again.

export const DeliveryFilter = z.strictObject({
  state: z
    .enum(
      ['due', 'delivered', 'failed', 'cancelled'],
      'must be due, delivered, failed or cancelled',
    )
    .optional(),
  limit: z.int().min(1, 'must be at least 1').max(1_000, 'must be at most 1000'),
})

export type Try = {
  number: number
  started_at: Date
  duration_ms: number
  /** The answer's status; null where no answer came. */
  status: number | null
  /** Null unless the try failed. */
  error: string | null
  /** The beginning of the answer's body, as text. */
  answer: string | null
}

export type Delivery = {
  id: string
  webhook_id: string
  /** The webhook's. */
  url: string
  event_id: string
  event: EventName
  is_test: boolean
  /** The delivery that this one repeats; null for one that an event has made. */
  redelivery_of: string | null
  state: 'due' | 'delivered' | 'failed' | 'cancelled'
  /** When the next try is due; null where there is none. */
  due_at: Date | null
  created_at: Date
  finished_at: Date | null
  tries: Try[]
}

const columns = sql`d.id, d.webhook_id,
  (select w.url from panel.webhooks w where w.id = d.webhook_id) as url,
  d.event_id, e.name as event, e.is_test, d.redelivery_of,
  d.state, case d.state when 'due' then d.due_at end as due_at, d.created_at, d.finished_at,
  (
    select coalesce(json_agg(
      json_build_object(
        'number', t.number,
        'started_at', t.started_at,
        'duration_ms', t.duration_ms,
        'status', t.status,
        'error', t.error,
        'answer', encode(t.answer, 'base64')) order by t.number), '[]')
    from panel.tries t where t.delivery_id = d.id
  ) as tries`

/** The latest deliveries, the newest first. */
export async function listDeliveries(
  db: Db,
  filter: z.infer<typeof DeliveryFilter> & { webhookId?: string | undefined },
): Promise<Delivery[]> {
  const rows = await all<Delivery>(db)`
    select ${columns}
    from panel.webhooks w
    cross join lateral (
      select * from panel.deliveries d
      where d.webhook_id = w.id and (${filter.state}::text is null or d.state = ${filter.state})
      order by d.created_at desc
      limit ${filter.limit}) d
    join panel.events e on e.id = d.event_id
    where ${filter.webhookId}::uuid is null or w.id = ${filter.webhookId}
    order by d.created_at desc, d.event_id desc, d.id
    limit ${filter.limit}`
  return rows.map(readable)
}

/** @throws {PanelError} `not_found` */
export async function getDelivery(db: Db, id: string): Promise<Delivery> {
  const row = await oneOr<Delivery>(db, () => unknownDelivery(id))`
    select ${columns}
    from panel.deliveries d join panel.events e on e.id = d.event_id
    where d.id = ${id}`
  return readable(row)
}

// JSON of the database has times in whatever zone its server is. A receiver may answer any bytes:
// those that are not UTF-8 become replacement characters.
const readable = (delivery: Delivery): Delivery => ({
  ...delivery,
  tries: delivery.tries.map(each => ({
    ...each,
    started_at: new Date(each.started_at),
    answer: each.answer === null ? null : Buffer.from(each.answer, 'base64').toString('utf8'),
  })),
})

/**
 * Sends again what a past delivery has sent; returns the id of the new delivery.
 *
 * @throws {PanelError} `not_found`; `invalid` if it is under way, or its webhook was removed
 */
export async function redeliver(db: Db, id: string): Promise<string> {
  const made = await value<string | null>(db)`select panel.redeliver(${id})`
  if (made !== null) return made
  const { state } = await getDelivery(db, id)
  const reason = state === 'due' ? 'is still under way' : 'belongs to a webhook that was removed'
  throw new PanelError('invalid', `The delivery ${id} ${reason}`)
}

/**
 * Sends a test event to one webhook, in a single try; returns the delivery's id.
 *
 * @throws {PanelError} `not_found`
 */
export async function tryOut(db: Db, webhookId: string, { name, body }: Event): Promise<string> {
  const made = await value<string | null>(db)`
    select panel.try_out_webhook(${webhookId}, ${name}, ${body})`
  if (made === null) throw unknownWebhook(webhookId)
  return made
}

const unknownDelivery = (id: string): PanelError =>
  new PanelError('not_found', `Unknown delivery: ${id}`)
