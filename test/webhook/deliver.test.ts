import { execFileSync, spawnSync } from 'node:child_process'
import { verify } from '@octokit/webhooks-methods'
import t from 'tap'
import { tryOut, listDeliveries, redeliver } from '../../src/model/events/delivery-records.ts'
import { testEvent } from '../../src/model/events/event-examples.ts'
import { removeWebhook, replaceSecret } from '../../src/model/events/webhooks.ts'
import { courierOn, emitted, key, sentBody, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { type Received, receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const { url, pool } = await database(t)
const receiver = await receiverFor(t)
await courierOn(t, url)

// The deliveries to one path, once there are so many.
const arrived = (path: string, count = 1): Promise<Received[]> =>
  until(() => {
    const those = receiver.received.filter(each => each.path === path)
    return those.length >= count && those
  })

const untilIdle = () =>
  until(async () => {
    const { rowCount } = await pool.query(`select from panel.deliveries where state = 'due'`)
    return rowCount === 0
  })

t.test('an event is sent with the bytes that were made with it', async t => {
  const { id } = await webhookTo(pool, `${receiver.url}/whole?a=b&c=%20d`)
  const { id: eventId, body: made } = await emitted(pool, 'account.deleted', { username: 'alice' })
  const [received] = await arrived('/whole?a=b&c=%20d')
  t.equal(`${received?.body}`, `${made.subarray(0, -1)},"sequence":1}`)
  const body = await sentBody(pool, eventId)
  t.strictSame(received?.body, body)
  t.match(JSON.parse(`${body}`), {
    event: 'account.deleted',
    time: Number,
    server: 'panel.test',
    data: { username: 'alice' },
  })
  await untilIdle()
  const [delivery] = await listDeliveries(pool, { limit: 1 })
  t.match(delivery, {
    webhook_id: id,
    event: 'account.deleted',
    state: 'delivered',
    is_test: false,
    due_at: null,
    attempts: [{ number: 1, status: 204, error: null, answer: '' }],
  })
  t.match(received?.headers, {
    'content-type': 'application/json',
    'user-agent': 'Panel-Webhooks/test',
    'x-panel-event': 'account.deleted',
    'x-panel-delivery': delivery?.id,
    'x-panel-signature': /^sha256=[0-9a-f]{64}$/,
  })
})

t.test('each webhook gets the events of its list, and one without a list gets all', async t => {
  await webhookTo(pool, `${receiver.url}/suspended`, ['account.suspended', 'account.unsuspended'])
  await webhookTo(pool, `${receiver.url}/sites`, ['site.created'])
  await webhookTo(pool, `${receiver.url}/all`)
  await emitted(pool, 'account.suspended', { username: 'alice', reason: null })
  await emitted(pool, 'account.unsuspended', { username: 'alice' })
  await emitted(pool, 'site.created', { username: 'alice', domain: 'alice.example' })
  await untilIdle()
  const eventsAt = (path: string) =>
    receiver.received
      .filter(each => each.path === path)
      .map(({ headers }) => headers['x-panel-event'])
      .sort()
  t.strictSame(eventsAt('/suspended'), ['account.suspended', 'account.unsuspended'])
  t.strictSame(eventsAt('/sites'), ['site.created'])
  t.strictSame(eventsAt('/all'), ['account.suspended', 'account.unsuspended', 'site.created'])
  const ids = receiver.received.map(({ headers }) => headers['x-panel-delivery'])
  t.equal(new Set(ids).size, ids.length, 'each delivery has an id of its own')
})

t.test('a change that is rolled back has neither event nor delivery nor job', async t => {
  await webhookTo(pool, `${receiver.url}/rolled-back`)
  const client = await pool.connect()
  await client.query('begin')
  await emitted(client, 'account.deleted', { username: 'rolledback' })
  await client.query('rollback')
  client.release()
  await emitted(pool, 'account.deleted', { username: 'committed' })
  await untilIdle()
  t.equal((await arrived('/rolled-back')).length, 1)
  const { rows } = await pool.query(
    `select data from panel.events where data ->> 'username' in ('rolledback', 'committed')`,
  )
  t.strictSame(rows, [{ data: { username: 'committed', reference: null } }])
  // A job is deleted a moment after its delivery.
  await until(async () => (await pool.query('select from courier_queue.jobs')).rowCount === 0)
})

t.test('the signature is what others make of the raw body and the secret', async t => {
  const secret = 'sécret of the receiver: "$(x)"\\'
  await webhookTo(pool, `${receiver.url}/signed`, [], secret)
  const reason = 'Ünpaid “4711”'
  await emitted(pool, 'account.suspended', { username: 'alice', reason })
  const [received] = await arrived('/signed')
  const signature = `${received?.headers['x-panel-signature']}`
  const body = received!.body

  t.test('openssl', async t => {
    const hex = Buffer.from(secret).toString('hex')
    const output = execFileSync(
      'openssl',
      ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${hex}`],
      { input: body, encoding: 'utf8' },
    )
    t.equal(`sha256=${output.trim().split(/[ =]+/).at(-1)}`, signature)
  })

  t.test('GitHub’s library for receivers', async t => {
    t.ok(await verify(secret, `${body}`, signature))
    t.notOk(await verify(`${secret}x`, `${body}`, signature))
    t.notOk(await verify(secret, `${body} `, signature))
  })

  const php = spawnSync('php', ['-r', 'echo PHP_VERSION;']).status === 0
  t.test('PHP', php ? {} : { skip: 'php is not installed' }, async t => {
    const program = 'echo "sha256=" . hash_hmac("sha256", stream_get_contents(STDIN), $argv[1]);'
    t.equal(`${execFileSync('php', ['-r', program, secret], { input: body })}`, signature)
  })
})

t.test('a new secret signs every try from then on, and the old one is gone', async t => {
  const { id, secret } = await webhookTo(pool, `${receiver.url}/replaced`)
  await emitted(pool, 'account.deleted', { username: 'first' })
  const [first] = await arrived('/replaced')
  await replaceSecret(pool, id, 'another secret of it', key)
  await emitted(pool, 'account.deleted', { username: 'second' })
  const [, second] = await arrived('/replaced', 2)
  const signs = (given: string, { body, headers }: Received) =>
    verify(given, `${body}`, `${headers['x-panel-signature']}`)
  t.ok(await signs(secret, first!))
  t.ok(await signs('another secret of it', second!))
  const { rows } = await pool.query('select secret::text from panel.webhooks')
  for (const { secret: stored } of rows) {
    t.notMatch(stored, Buffer.from('another secret of it').toString('hex'))
  }
})

t.test('a webhook whose secret cannot be opened fails, and says so', async t => {
  const { id } = await webhookTo(pool, `${receiver.url}/unsigned`)
  const other = await webhookTo(pool, `${receiver.url}/other`)
  await pool.query(
    `update panel.webhooks w set secret = o.secret
     from panel.webhooks o where w.id = $1 and o.id = $2`,
    [id, other.id],
  )
  const event = testEvent('account.deleted', { server: 'panel.test', time: new Date() })
  await tryOut(pool, id, event)
  await untilIdle()
  const [delivery] = await listDeliveries(pool, { webhookId: id, limit: 1 })
  t.match(delivery, { state: 'failed', attempts: [{ error: /secret cannot be decrypted/ }] })
  t.equal(receiver.received.filter(({ path }) => path === '/unsigned').length, 0)
  await removeWebhook(pool, id)
})

t.test('a past delivery is sent again as a new one of the same bytes', async t => {
  const { id: webhookId } = await webhookTo(pool, `${receiver.url}/again`)
  const { id: eventId } = await emitted(pool, 'account.deleted', { username: 'alice' })
  await arrived('/again')
  await untilIdle()
  const [past] = await listDeliveries(pool, { webhookId, limit: 1 })
  const id = await redeliver(pool, past!.id)
  t.not(id, past!.id)
  const [, second] = await arrived('/again', 2)
  t.strictSame(second?.body, await sentBody(pool, eventId))
  t.equal(second?.headers['x-panel-delivery'], id)
  await untilIdle()
  const [newest] = await listDeliveries(pool, { webhookId, limit: 5 })
  t.match(newest, { id, redelivery_of: past!.id, event_id: eventId, state: 'delivered' })
})

t.test('nothing goes to a webhook that was removed, and what was due is cancelled', async t => {
  const { id: webhookId } = await webhookTo(pool, `${receiver.url}/removed`)
  const client = await pool.connect()
  // In one transaction, so that event and removal become visible together.
  await client.query('begin')
  await emitted(client, 'account.deleted', { username: 'alice' })
  await removeWebhook(client, webhookId)
  await client.query('commit')
  client.release()
  await emitted(pool, 'account.deleted', { username: 'bob' })
  await untilIdle()
  const deliveries = await listDeliveries(pool, { webhookId, limit: 5 })
  t.match(deliveries, [{ state: 'cancelled', attempts: [], finished_at: Date }])
  t.equal(deliveries.length, 1)
  t.equal(receiver.received.filter(({ path }) => path === '/removed').length, 0)
  await t.rejects(redeliver(pool, deliveries[0]!.id), /was removed/)
})
