import { randomUUID } from 'node:crypto'
import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { signIn } from '../support/web/signed-in.ts'

// Failed deliveries are sent again together, over all pages of the list, and their progress shows.

const panel = await openPanel(t)
const { pool } = panel
const admin = await signIn(panel)
const webhook = randomUUID()
const many = 60
await pool.query(
  `with webhook as (
     insert into panel.webhooks (id, url, secret, events)
     values ($1, 'https://billing.example.com/', sha512('x'), null)
   ), event as (
     insert into panel.events (name, body, data) values ('site.created', '{}', '{}') returning id
   ), failed as (
     insert into panel.deliveries (webhook_id, event_id, state, attempts, queue_job_id, finished_at)
     select $1, id, 'failed', 1, 1, now() from event, generate_series(1, $2) returning id
   )
   insert into panel.attempts (delivery_id, number, started_at, duration_ms, error)
   select id, 1, now(), 5, 'Answered <500>' from failed`,
  [webhook, many],
)

t.test('the list gives the reason, and leads to all of the filter', async t => {
  const { text } = await admin.get(`/hooks?state=failed&webhook=${webhook}`)
  t.match(text, /<span class="why" title="Answered &lt;500&gt;">Answered &lt;500&gt;/)
  t.match(text, 'Select all on this page')
  const all = `/jobs/retry?state=failed&kind=delivery&q=${webhook}`
  t.match(text, `href="${all.replaceAll('&', '&amp;')}"`)
  t.match((await admin.get(all)).text, `${many} jobs will be retried`)
  t.notMatch((await admin.get('/hooks')).text, 'Resend all failed')
})

t.test('a retry shows how far it is, and what failed again', async t => {
  const fields = { state: 'failed', kind: 'delivery', q: webhook }
  const { headers } = await admin.submit('/jobs/retry', fields)
  t.match(headers.location, /^\/jobs\/retried\?at=\d+&state=failed&kind=delivery&q=/)
  const shown = async () => (await admin.get(String(headers.location))).text
  t.match(await shown(), `0 done · 0 failed again · ${many} waiting`)
  t.match(await shown(), `and ${many - 50} more jobs`)
  t.match(await shown(), 'hx-trigger="every 1s"')
  t.notMatch(await shown(), 'can be retried', 'none is left')
  await pool.query(
    `update panel.deliveries set state = 'delivered', finished_at = now()
     where redelivery_of is not null`,
  )
  const { rows } = await pool.query<{ id: string }>(
    `update panel.deliveries set state = 'failed'
     where id = (select min(id::text)::uuid from panel.deliveries where redelivery_of is not null)
     returning id`,
  )
  await pool.query(
    `insert into panel.attempts (delivery_id, number, started_at, duration_ms, error)
     values ($1, 1, now(), 5, 'Answered 503')`,
    [rows[0]!.id],
  )
  const ended = await shown()
  t.match(ended, `${many} of ${many} jobs ended`)
  t.match(ended, /59 done · <strong class="bad">1 failed again<\/strong> · 0 waiting/)
  t.match(ended, 'Answered 503')
  t.match(ended, '1 failed job of this selection can be retried')
  t.notMatch(ended, 'hx-trigger', 'it has ended')
})
