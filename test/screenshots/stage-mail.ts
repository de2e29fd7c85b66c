import type pg from 'pg'
import type { MailQueue } from '../../src/model/server/mail-queue.ts'

// Mail that waits on the server, and accounts that have sent some.

const reasons = {
  away: 'connect to mx.elsewhere.example[198.51.100.7]:25: Connection timed out',
  grey: 'connect to mx.example.org[203.0.113.9]:25: Connection refused',
}

/** A queue as the worker reads it. */
export const queue: MailQueue = {
  ...{ total: 142, bytes: 7_340_032 },
  senders: [
    { name: 'news@hanna.example', messages: 131 },
    { name: 'info@alice.example', messages: 9 },
    { name: '', messages: 2 },
  ],
  reasons: [
    { name: reasons.away, messages: 133 },
    { name: reasons.grey, messages: 9 },
  ],
  messages: [reasons.away, reasons.grey, null].map((reason, index) => ({
    id: `4bQx${index}z1Kd2z9tY`,
    queue: reason === null ? 'active' : 'deferred',
    arrived_at: new Date(Date.now() - (5 - index) * 3_600_000).toISOString(),
    bytes: 51_200,
    sender: ['news@hanna.example', 'info@alice.example', ''][index]!,
    recipients: ['customer@elsewhere.example', 'jo@example.org', 'sales@elsewhere.example'],
    recipient_count: index === 0 ? 12 : 1,
    reason,
  })),
}

/** Puts it into the snapshot, and has the worker take no other one meanwhile. */
export async function stageMailQueue(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update panel.server_snapshot
     set took_ms = 600000, content = content || jsonb_build_object('mail', jsonb_build_object(
       'queue', $1::jsonb, 'sent', (
         select jsonb_agg(jsonb_build_object('uid', uid, 'recipients', case username
           when 'hanna' then 200 else 37 end))
         from panel.accounts where username in ('alice', 'hanna'))))`,
    [JSON.stringify(queue)],
  )
}
