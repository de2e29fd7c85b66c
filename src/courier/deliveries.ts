import { all, type Db, run, sql, type Sql } from '../db.ts'
import type { Outcome, Post } from '../model/events/outside.ts'
import { numberEvents } from '../model/events/event-feed.ts'
import type { Sign } from '../model/events/webhooks.ts'

// Deliveries for a courier: which are due, and how they end. Each statement handles many
// deliveries, in the given order. Statements that name deliveries ask for `finished_at is null`
// instead of `state = 'due'`, for which PostgreSQL would scan the index of all due deliveries
// whenever its statistics say that it is short.

/** A due delivery, with everything that an attempt needs. */
export type Due = {
  id: string
  /** An attempt that began under another epoch is not recorded. */
  epoch: number
  /** The number of finished attempts. */
  attempts: number
  webhookId: string
  /** Whether its webhook was removed, so that nothing is sent. */
  isRemoved: boolean
  url: string
  secret: Buffer
  /** The previous secret, while it is still valid. */
  previousSecret: Buffer | null
  event: string
  body: Buffer
}

const needed = sql`d.id, d.epoch, d.attempts, d.webhook_id as "webhookId", w.url, w.secret,
  case when w.previous_until > now() then w.previous_secret end as "previousSecret",
  coalesce(w.removed_at is not null, true) as "isRemoved", e.name as event,
  panel.event_body(e) as body`

// A pause prevents new attempts; those in progress end, and the rest stays due.
const unlessPaused = sql`not exists (
  select from panel.paused_tasks where task = 'webhook/deliver')`

/** Returns those of the given deliveries that are due and belong to the given job. */
export async function findDue(
  db: Db,
  desired: { id: string; jobId: string }[],
): Promise<(Due | undefined)[]> {
  // A body is complete only with the number of its event.
  await numberEvents(db)
  // A courier that was killed may have left an earlier job of the same delivery.
  const rows = await all<Due & Numbered>(db, 'find_due_deliveries')`
    select ${needed}, desired.ordinal::integer
    from unnest(
      ${desired.map(({ id }) => id)}::uuid[], ${desired.map(({ jobId }) => jobId)}::bigint[]
    ) with ordinality as desired (id, job_id, ordinal)
    join panel.deliveries d on d.id = desired.id and d.queue_job_id = desired.job_id
    join panel.events e on e.id = d.event_id
    left join panel.webhooks w on w.id = d.webhook_id
    where d.finished_at is null and d.due_at <= now() and ${unlessPaused}`
  return inOrder(rows, desired)
}

/** A row for one of the given inputs, numbered from 1. */
type Numbered = { ordinal: number }

function inOrder<Row extends Numbered>(rows: Row[], { length }: readonly unknown[]) {
  const found = new Map(rows.map(row => [row.ordinal, row]))
  return Array.from({ length }, (_, index) => found.get(index + 1))
}

/** Blocks deliveries without a job, until an attempt of the same webhook ends. */
export async function suspend(db: Db, dues: Pick<Due, 'id' | 'epoch'>[]): Promise<undefined[]> {
  await run(db, 'block_deliveries')`
    update panel.deliveries d set queue_job_id = null, is_blocked = true
    from ${started(dues)}
    where d.id = started.id and d.epoch = started.epoch and d.finished_at is null`
  return dues.map(() => undefined)
}

/** The number of blocked deliveries of a webhook to take, and the job that takes them. */
export type Taking = { webhookId: string; slots: number; jobId: string }

/** Takes blocked deliveries, those of the oldest events first; each webhook may occur once. */
export async function takeBlocked(db: Db, takings: Taking[]): Promise<Due[][]> {
  const rows = await all<Due>(db, 'take_blocked_deliveries')`
    with taken as (
      update panel.deliveries d
      set epoch = d.epoch + 1, queue_job_id = blocked.job_id, is_blocked = false
      from (
        select first.id, taking.job_id
        from unnest(
            ${takings.map(({ webhookId }) => webhookId)}::uuid[],
            ${takings.map(({ slots }) => slots)}::integer[],
            ${takings.map(({ jobId }) => jobId)}::bigint[]
          ) as taking (webhook_id, slots, job_id),
          lateral (
            select p.id
            from panel.deliveries p
            -- A restored server may have blocked deliveries that no courier has claimed yet.
            join panel.events e on e.id = p.event_id and e.sequence is not null
            where p.webhook_id = taking.webhook_id and p.state = 'due' and p.is_blocked
              and ${unlessPaused}
            order by p.event_id
            limit taking.slots
            for no key update of p skip locked) first) blocked
      where d.id = blocked.id
      returning d.*)
    select ${needed}
    from taken d
    join panel.events e on e.id = d.event_id
    left join panel.webhooks w on w.id = d.webhook_id
    order by d.event_id`
  const byWebhook = Map.groupBy(rows, ({ webhookId }) => webhookId)
  return takings.map(({ webhookId }) => byWebhook.get(webhookId) ?? [])
}

/** Ends deliveries whose webhook was removed. */
export async function cancel(db: Db, dues: Pick<Due, 'id' | 'epoch'>[]): Promise<undefined[]> {
  await run(db, 'cancel_deliveries')`
    update panel.deliveries d set state = 'cancelled', finished_at = now()
    from ${started(dues)}
    where d.id = started.id and d.epoch = started.epoch and d.finished_at is null`
  return dues.map(() => undefined)
}

const started = (dues: Pick<Due, 'id' | 'epoch'>[]): Sql => sql`unnest(
  ${dues.map(({ id }) => id)}::uuid[], ${dues.map(({ epoch }) => epoch)}::integer[]
) as started (id, epoch)`

/** A finished attempt; `endedAt` is on the clock of performance.now(). */
export type Ended = { due: Pick<Due, 'id' | 'epoch'>; outcome: Outcome; endedAt: number }

/** The state of a delivery after an attempt; `due` means that there will be another one. */
export type Recorded = { state: 'delivered' | 'failed' | 'due'; attempts: number }

/**
 * Records attempts and schedules retries; returns undefined for deliveries that were taken since.
 */
export async function record(db: Db, ended: Ended[]): Promise<(Recorded | undefined)[]> {
  const now = performance.now()
  const rows = await all<Recorded & Numbered>(db, 'record_attempts')`
    select ordinal, state, attempts
    from panel.record_attempts(
      ${ended.map(({ due }) => due.id)},
      ${ended.map(({ due }) => due.epoch)},
      ${ended.map(({ outcome }) => outcome.durationMs)},
      ${ended.map(({ endedAt }) => Math.round(now - endedAt))},
      ${ended.map(({ outcome }) => outcome.status)},
      ${ended.map(({ outcome }) => outcome.error)},
      ${ended.map(({ outcome }) => outcome.answer)})`
  return inOrder(rows, ended)
}

/**
 * Builds the request of a delivery (specification, Webhook delivery): the same bytes at every
 * attempt, signed with the webhook's secret. While a replaced secret is still valid, that one signs
 * as before and the new one in an additional header, so that receivers need not be changed at the
 * same moment.
 *
 * @throws if the secret cannot be decrypted with this server's key
 */
export function request(due: Due, sign: Sign, userAgent: string): Post {
  const { webhookId: id, secret, previousSecret, body } = due
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': userAgent,
    'X-Panel-Event': due.event,
    'X-Panel-Delivery': due.id,
    'X-Panel-Signature': sign({ id, sealed: previousSecret ?? secret }, body),
    ...(previousSecret && {
      'X-Panel-Signature-Next': sign({ id, sealed: secret, isNext: true }, body),
    }),
  }
  return { url: due.url, headers: Object.entries(headers).flat(), body }
}
