import { all, type Db } from '../../db.ts'

// How the receivers of webhooks do.

export type Receiver = {
  webhook_id: string
  due: number
  oldest_due_at: Date | null
  /** Of at most 100 deliveries, the latest first, whether they were delivered; null for none. */
  outcomes: boolean[] | null
  p50_ms: number | null
  p95_ms: number | null
  last_error: string | null
  last_error_at: Date | null
  last_delivered_at: Date | null
}

/** All of them, or that of one webhook. */
export const listReceivers = (db: Db, webhookId: string | null = null) => all<Receiver>(db)`
  select webhook_id, due, oldest_due_at, outcomes, p50_ms, p95_ms, last_error, last_error_at,
    last_delivered_at
  from panel.list_receivers(${webhookId})`
