import { all, type Db } from '../../db.ts'

// The state of the receivers of webhooks.

export type Receiver = {
  webhook_id: string
  due: number
  oldest_due_at: Date | null
  /** Whether each of the last 100 deliveries was delivered, newest first; null for none. */
  outcomes: boolean[] | null
  p50_ms: number | null
  p95_ms: number | null
  last_error: string | null
  last_error_at: Date | null
  last_delivered_at: Date | null
}

/** Returns the receivers of all webhooks, or of one. */
export const listReceivers = (db: Db, webhookId: string | null = null) => all<Receiver>(db)`
  select webhook_id, due, oldest_due_at, outcomes, p50_ms, p95_ms, last_error, last_error_at,
    last_delivered_at
  from panel.list_receivers(${webhookId})`
