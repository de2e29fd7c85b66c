import { createHmac, randomUUID } from 'node:crypto'
import t from 'tap'
import { secretsKey } from '../../src/model/events/webhooks.ts'
import { startCourier } from '../../src/courier/courier.ts'
import { courierOptions, emitted } from '../support/courier.ts'
import { alice, openPanel, surroundings } from '../support/panel.ts'
import { receiverFor } from '../support/receiver.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { pool } = panel
const admin = await signIn(panel)
const receiver = await receiverFor(t)
const courier = await startCourier({
  ...courierOptions(panel.databaseUrl),
  secretsKey: secretsKey(surroundings.serverKey()),
})
t.teardown(courier.stop)

const hostile = `<script>alert(1)</script>"'javascript:\u202e`
const added = { username: 'alice', email: alice.email, package: 'starter', domain: null }

const webhooks = async () =>
  (await pool.query(`select id, url, events, removed_at from panel.webhooks order by created_at`))
    .rows
const deliveries = async () =>
  (
    await pool.query(`select id, state, webhook_id, redelivery_of from panel.deliveries
    order by created_at, id`)
  ).rows
const secretIn = (text: string) => /value="([0-9a-f]{64})" aria-label="Secret"/.exec(text)?.[1]
const ended = (count: number) =>
  until(async () => {
    const all = await deliveries()
    return all.length >= count && all.every(({ state }) => state !== 'due') && all
  })

t.test('without a webhook it says what one is for', async t => {
  for (const path of ['/hooks', '/hooks/webhooks']) {
    t.match((await admin.get(path)).text, /No webhook yet.*href="\/hooks\/webhooks\/new"/s)
  }
  t.match((await admin.get('/hooks/scripts')).text, 'No hook script has run yet')
})

t.test('a webhook is added once, and what it gets is signed with the secret shown', async t => {
  const key = randomUUID()
  const fields = { url: `${receiver.url}/in?x=1`, events: 'account.created', secret: '' }
  const made = await admin.submit('/hooks/webhooks/new', fields, { key })
  t.equal(made.status, 200)
  const secret = secretIn(made.text)!
  t.ok(secret)
  const again = await admin.submit('/hooks/webhooks/new', fields, { key })
  t.equal(secretIn(again.text), secret, 'a lost answer is not lost for good')
  t.match(await webhooks(), [{ url: `${receiver.url}/in?x=1`, events: ['account.created'] }])
  t.equal((await webhooks()).length, 1)
  const [{ id }] = await webhooks()
  t.notMatch((await admin.get(`/hooks/webhooks/${id}`)).text, secret)

  await emitted(pool, 'account.created', added)
  const [delivery] = await ended(1)
  t.match(delivery, { state: 'delivered' })
  const { headers, body } = receiver.received[0]!
  const expected = createHmac('sha256', secret).update(body).digest('hex')
  t.equal(headers['x-panel-signature'], `sha256=${expected}`)
  const { rows } = await pool.query(
    `select channel, who, about from panel.history where action = 'webhook/add'`,
  )
  t.strictSame(rows, [{ channel: 'page', who: 'admin', about: id }])
})

t.test('a fault of an address is shown next to it, and nothing is added', async t => {
  const wrong = [
    '',
    'x',
    'ftp://example.com',
    'https://a:b@example.com/',
    'https://x.example/#y',
    'javascript:alert(1)',
    `https://example.com/${'x'.repeat(2_100)}`,
    hostile,
  ]
  for (const url of wrong) {
    const refused = await admin.submit('/hooks/webhooks/new', { url })
    t.match(refused, { status: 422, text: /id="field-url-error"/ }, url.slice(0, 30))
    t.notMatch(refused.text, '<script>alert')
  }
  const url = 'https://example.com/'
  for (const fields of [
    { events: 'account.exploded' },
    { secret: 'short' },
    { secret: `${'x'.repeat(20)}\n` },
  ]) {
    const refused = await admin.submit('/hooks/webhooks/new', { url, ...fields })
    t.equal(refused.status, 422, JSON.stringify(fields))
    t.notMatch(refused.text, 'value="short"')
  }
  t.equal((await webhooks()).length, 1)
})

t.test('its address, events and secret are changed', async t => {
  const [{ id }] = await webhooks()
  const form = await admin.get(`/hooks/webhooks/${id}/edit`)
  t.match(form.text, /value="account\.created" checked/)
  const edited = await admin.submit(`/hooks/webhooks/${id}/edit`, { url: `${receiver.url}/other` })
  t.match(edited, { status: 303, headers: { location: `/hooks/webhooks/${id}` } })
  t.match(await webhooks(), [{ id, url: `${receiver.url}/other`, events: null }])
  const key = randomUUID()
  const replaced = await admin.submit(`/hooks/webhooks/${id}/secret`, {}, { key })
  const repeated = await admin.submit(`/hooks/webhooks/${id}/secret`, {}, { key })
  t.match(secretIn(replaced.text), /^[0-9a-f]{64}$/)
  t.equal(secretIn(replaced.text), secretIn(repeated.text))
  const own = await admin.submit(`/hooks/webhooks/${id}/secret`, { secret: 'a secret of my own!' })
  t.match(own.text, 'the secret that you chose')
  t.notMatch(own.text, 'a secret of my own!')
  await emitted(pool, 'account.deleted', { username: 'alice' })
  await ended(2)
  const { headers, body, path } = receiver.received.at(-1)!
  t.equal(path, '/other')
  const expected = createHmac('sha256', 'a secret of my own!').update(body).digest('hex')
  t.equal(headers['x-panel-signature'], `sha256=${expected}`)
  for (const action of ['edit', 'secret', 'test', 'remove']) {
    t.equal((await admin.get(`/hooks/webhooks/${randomUUID()}/${action}`)).status, 404, action)
    t.equal((await admin.get(`/hooks/webhooks/x/${action}`)).status, 404, action)
  }
})

t.test('a test event is sent once, and what was answered is shown as text', async t => {
  const [{ id }] = await webhooks()
  receiver.answer = (_request, response) => response.writeHead(500).end(hostile)
  const [before, key] = [receiver.received.length, randomUUID()]
  const sent = await admin.submit(`/hooks/webhooks/${id}/test`, { event: 'ssl.issued' }, { key })
  t.match(sent, { status: 303, headers: { location: /^\/hooks\/deliveries\/[0-9a-f-]{36}$/ } })
  const again = await admin.submit(`/hooks/webhooks/${id}/test`, { event: 'ssl.issued' }, { key })
  t.equal(again.headers.location, sent.headers.location)
  await ended(3)
  t.equal(receiver.received.length, before + 1)
  const { text } = await admin.get(sent.headers.location!)
  t.match(text, 'HTTP 500')
  t.match(text, '&lt;script&gt;alert(1)')
  t.notMatch(text, '<script>alert')
  t.match(text, 'X-Panel-Event: ssl.issued')
  t.match(text, 'X-Panel-Signature: sha256=…')
  t.match(text, '&quot;test&quot;: true')
  t.equal((await admin.submit(`/hooks/webhooks/${id}/test`, { event: 'x' })).status, 422)
  t.match(
    (await admin.get(`/hooks/webhooks/${id}`)).text,
    'well',
    'tests are nothing of its health',
  )
})

t.test('deliveries are listed by webhook, outcome and event, a page at a time', async t => {
  const [{ id }] = await webhooks()
  const on = async (query: string) => {
    const { text } = await admin.get(`/hooks?${query}`)
    return [...text.matchAll(/name="id" value="([^"]+)"/g)].map(([, one]) => one!)
  }
  t.equal((await on('')).length, 3)
  t.equal((await on('state=failed')).length, 1)
  t.equal((await on('event=account.deleted')).length, 1)
  t.equal((await on(`webhook=${id}&state=delivered`)).length, 2)
  t.equal((await on(`webhook=${randomUUID()}`)).length, 0)
  await pool.query(
    `insert into panel.deliveries (webhook_id, event_id, state, queue_job_id, created_at,
       finished_at)
     select $1, (select min(id) from panel.events), 'cancelled', 1, at, at
     from generate_series(1, 120) n cross join lateral (
       select now() - interval '2 hours' - n % 4 * interval '1 s' as at) a`,
    [id],
  )
  const seen = new Set<string>()
  let next: string | undefined = 'state=cancelled'
  for (let pages = 0; next !== undefined && pages < 5; pages++) {
    for (const one of await on(next)) seen.add(one)
    const { text } = await admin.get(`/hooks?${next}`)
    next = /rel="next" href="\/hooks\?([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  t.equal(seen.size, 120, 'each of them once')
  await pool.query(`delete from panel.deliveries where state = 'cancelled'`)
  for (const [query, why] of Object.entries({
    'state=none': 'state must be due, delivered',
    'event=x': 'event must be one of account.created',
    'webhook=x': 'webhook must be a UUID',
    'delivery=x': 'delivery must be a UUID',
    'after=1': 'after must be a UUID',
  })) {
    t.match(await admin.get(`/hooks?${query}`), { status: 400, text: why }, query)
  }
})

t.test('one delivery, and several, are sent again, each once', async t => {
  receiver.answer = (_request, response) => response.writeHead(204).end()
  const [one, two] = (await deliveries()).map(({ id }) => id)
  const key = randomUUID()
  const sent = await admin.submit(`/hooks/deliveries/${one}/redeliver`, {}, { key })
  const again = await admin.submit(`/hooks/deliveries/${one}/redeliver`, {}, { key })
  t.equal(sent.status, 303)
  t.equal(sent.headers.location, again.headers.location)
  t.equal((await ended(4)).filter(({ redelivery_of }) => redelivery_of === one).length, 1)
  const token = /name="token" value="([^"]+)"/.exec((await admin.get('/hooks')).text)![1]!
  // As a browser sends two boxes of one name.
  const several = await admin.submit(
    '/hooks/deliveries/redeliver',
    {},
    { token: `${token}&id=${one}&id=${two}` },
  )
  t.equal(several.status, 403, 'a token is a token')
  const none = await admin.submit('/hooks/deliveries/redeliver')
  t.match(none, { status: 422, text: 'Deliveries must be chosen' })
  const { headers } = await admin.submit('/hooks/deliveries/redeliver', { id: two! })
  t.match(headers.location, /^\/jobs\/retried\?at=\d+$/)
  t.equal((await ended(5)).filter(({ redelivery_of }) => redelivery_of === two).length, 1)
  const progress = (await admin.get(String(headers.location))).text
  t.match(progress, /1 of 1 job ended[^]*1 done · 0 failed again · 0 waiting/)
  t.notMatch(progress, 'hx-trigger', 'it has ended')
  t.equal((await admin.submit('/hooks/deliveries/redeliver', { id: 'x' })).status, 422)
  t.equal((await admin.submit(`/hooks/deliveries/${randomUUID()}/redeliver`)).status, 404)
  t.match((await admin.get(`/search?q=${one}`)).headers, { location: `/jobs/${one}` })
  t.match((await admin.get(`/jobs/${one}`)).headers, { location: `/hooks/deliveries/${one}` })
})

t.test('output of hook scripts is text, and a run is retried', async t => {
  const { id } = await emitted(pool, 'account.suspended', { username: 'alice', reason: hostile })
  await pool.query(
    `insert into panel.hook_runs (event_id, state, finished_at) values ($1, 'done', now())
     on conflict (event_id) do update set state = 'done', finished_at = now(), error = null`,
    [id],
  )
  await pool.query(
    `insert into panel.script_runs (id, event_id, name, path, outcome, reason, exit_code, stdout,
       stderr)
     values (gen_random_uuid(), $1, $2, '/etc/panel/hooks/x', 'failed', $2, 7, $3, $3)`,
    [id, hostile, Buffer.from(`${hostile}\n\xff\x00`, 'latin1')],
  )
  for (const path of ['/hooks/scripts', `/jobs/hook:${id}`, '/jobs?task=hook/run']) {
    const { status, text } = await admin.get(path)
    t.equal(status, 200, path)
    t.match(text, '&lt;script&gt;alert(1)', path)
    t.notMatch(text, '<script>alert', path)
  }
  const retried = await admin.submit(`/jobs/hook:${id}/retry`)
  t.match(retried, { status: 303, headers: { location: `/jobs/hook%3A${id}` } })
})

t.test('scripts are shown as they were found, with why they would not run', async t => {
  const script = { event: 'ssl.issued', name: hostile, path: '/etc/panel/hooks/x', uid: 1_000 }
  const scripts = [{ ...script, mode: '0664', refusal: 'may be written by its group' }]
  await pool.query(`update panel.server_snapshot set taken_at = now(), took_ms = 1, content = $1`, [
    JSON.stringify({ hooks: { folder: '/etc/panel/hooks', scripts } }),
  ])
  const { text } = await admin.get('/hooks/scripts')
  for (const shown of ['0664', 'user 1000', 'may be written by its group', '&lt;script&gt;alert']) {
    t.match(text, shown)
  }
  t.notMatch(text, '<script>alert')
})

t.test('a webhook is removed after a question', async t => {
  const [{ id }] = await webhooks()
  t.match((await admin.get(`/hooks/webhooks/${id}/remove`)).text, 'No deliveries are due.')
  t.equal((await webhooks())[0].removed_at, null)
  const removed = await admin.submit(`/hooks/webhooks/${id}/remove`)
  t.match(removed, { status: 303, headers: { location: '/hooks/webhooks' } })
  t.ok((await webhooks())[0].removed_at)
  t.equal((await admin.submit(`/hooks/webhooks/${id}/remove`)).status, 404)
  t.equal((await admin.get(`/hooks/webhooks/${id}`)).status, 404)
  const [{ id: delivery }] = await deliveries()
  t.match(await admin.submit(`/hooks/deliveries/${delivery}/redeliver`), {
    status: 422,
    text: /belongs to a webhook that was removed/,
  })
})

t.test('only administrators see hooks', async t => {
  await makeReseller(pool, 'bigshop')
  const reseller = await signIn(panel, 'bigshop')
  const before = await webhooks()
  const [{ id }] = before
  for (const path of ['/hooks', '/hooks/webhooks', '/hooks/scripts', '/hooks/webhooks/new']) {
    t.equal((await reseller.get(path)).status, 403, path)
    t.notMatch((await reseller.get('/overview')).text, `href="${path}"`)
  }
  for (const path of [
    '/hooks/webhooks/new',
    `/hooks/webhooks/${id}/edit`,
    `/hooks/webhooks/${id}/secret`,
    `/hooks/webhooks/${id}/test`,
    `/hooks/webhooks/${id}/remove`,
    '/hooks/deliveries/redeliver',
  ]) {
    t.equal((await reseller.submit(path, { url: 'https://example.com/' })).status, 403, path)
  }
  t.strictSame(await webhooks(), before)
  t.equal((await reseller.get(`/hooks/deliveries/${randomUUID()}`)).status, 403)
})
