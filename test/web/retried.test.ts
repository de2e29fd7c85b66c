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

const chosenIn = (text: string, form: string) =>
  [...text.matchAll(new RegExp(`name="id" value="([^"]+)" form="${form}"`, 'g'))].map(
    ([, id = '']) => id,
  )

t.test('failed jobs and hook runs are chosen in their lists and retried together', async t => {
  await pool.query(
    `with event as (
       insert into panel.events (name, body, data)
       select 'account.created', '{}', '{"username": "alice"}' from generate_series(1, 3)
       returning id
     ), run as (
       insert into panel.hook_runs (event_id, state, queue_job_id, finished_at, error)
       select id, 'done', id, now(), '10-report exited with 3' from event returning event_id
     )
     insert into panel.script_runs
       (id, event_id, name, path, started_at, outcome, reason, exit_code, duration_ms,
        stderr)
     select gen_random_uuid(), event_id, '10-report',
       '/etc/panel/hooks/account.created.d/10-report', now(), 'failed',
       'exited with 3', 3, 5, 'no route to <host>'
     from run`,
  )
  for (const [path, count] of [
    ['/hooks/scripts', 3],
    ['/jobs?kind=hook+run', 3],
    ['/jobs?state=failed', 50],
  ] as const) {
    const { text } = await admin.get(path)
    t.equal(chosenIn(text, 'retry').length, count, path)
    t.match(text, /data-select-all="retry"[^]*Retry selected/)
    t.match(text, path.includes('state') ? 'Answered &lt;500&gt;' : /exited with 3|no route to/)
  }
  const { text } = await admin.get('/hooks/scripts')
  const [first, second] = chosenIn(text, 'retry')
  const none = await admin.submit('/jobs/retry/chosen', {})
  t.match(none, { status: 422, text: /must be chosen/ })
  const key = randomUUID()
  const fields = { id: [first!, second!] }
  const sent = await admin.submit('/jobs/retry/chosen', fields, { key })
  t.match(sent, { status: 303, headers: { location: /^\/jobs\/retried\?at=\d+$/ } })
  const shown = (await admin.get(String(sent.headers.location))).text
  t.match(shown, /\d of 2 jobs ended/)
  for (const id of [first, second]) t.match(shown, `href="/jobs/${id}"`)
  const { rows } = await pool.query(
    `select about from panel.history where action = 'job/retry' order by about`,
  )
  t.strictSame(
    rows.map(({ about }) => about),
    [first, second].toSorted(),
    'each once',
  )
  const again = await admin.submit('/jobs/retry/chosen', fields, { key })
  t.strictSame(again.headers.location, sent.headers.location, 'a double click retries nothing')
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
