import pg from 'pg'
import t from 'tap'
import { openPool, type Role } from '../../src/db.ts'
import { parseFinished } from '../../src/model/operations/operations.ts'
import { askSteps } from '../../src/model/jobs/running-steps.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Every role can listen to every channel, and send to it. So a notification carries nothing but
// what has to be looked at, and nothing that it says is believed.

let failing = false
const gate = openGate(() => failing)
const panel = await openPanel(t, { observe: gate.observe })
const { call, pool, databaseUrl } = panel
const channels = ['operation_finished', 'steps_asked', 'steps_reported', '"jobs:insert"']
const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const member = '"(r|count)" ?: ?[0-9.e-]+|"task" ?: ?"hook/run"'
const allowed: Record<string, RegExp> = {
  operation_finished: new RegExp(`^${uuid} [0-9]+$`),
  steps_asked: new RegExp(`^${uuid}$`),
  steps_reported: new RegExp(`^${uuid}$`),
  'jobs:insert': new RegExp(`^\\{(${member})(, ?(${member}))*\\}$`),
}

t.test('a notification carries ids and numbers only, for any listener', async t => {
  const heard: pg.Notification[] = []
  for (const role of ['panel_api', 'panel_worker', 'panel_courier'] as const) {
    const listener = await listenAs(role)
    listener.on('notification', notification => heard.push(notification))
    t.teardown(() => listener.end())
  }
  await call('PUT', '/api/v1/packages/starter', { body: {} })
  t.equal((await call('POST', '/api/v1/accounts', { body: alice })).status, 201)
  const reason = 'a reason for one reader'
  gate.close()
  const suspended = call('POST', '/api/v1/accounts/alice/suspend', { body: { reason } })
  await gate.reached()
  const { rows } = await pool.query<{ id: string }>(
    `select id from panel.operations where state = 'running'`,
  )
  const api = openPool(databaseUrl, 'panel_api', 1)
  const steps = await askSteps(api, rows[0]!.id)
  await api.end()
  t.match(steps, [{ step: String, running: true }])
  gate.open()
  t.equal((await suspended).status, 200)
  failing = true
  t.equal((await call('POST', '/api/v1/accounts/alice/unsuspend')).status, 500)
  failing = false
  const count = (of: string) => heard.filter(({ channel }) => channel === of).length
  // Three roles hear of three ends and of one report.
  await until(async () => count('operation_finished') >= 9 && count('steps_reported') === 3)
  for (const { channel, payload = '' } of heard) t.match(payload, allowed[channel], channel)
})

t.test('a reported step of a running task is no recorded step', async t => {
  const { rows } = await pool.query(
    `select s.steps, o.steps as recorded from panel.operations o,
       panel.show_operation_starts(o.id) s where o.name = 'account/suspend'`,
  )
  t.ok(Array.isArray(rows[0].steps), 'the end has written its own over them')
  t.strictSame(rows[0].steps, rows[0].recorded)
})

t.test('a forged notification ends no wait', async t => {
  await call('POST', '/api/v1/accounts/alice/unsuspend')
  gate.close()
  const answer = call('POST', '/api/v1/accounts/alice/suspend')
  await gate.reached()
  const { rows } = await pool.query<{ id: string; epoch: number }>(
    `select id, epoch from panel.operations where state = 'running'`,
  )
  const { id, epoch } = rows[0]!
  const courier = await listenAs('panel_courier')
  for (const payload of [
    `${id} ${epoch} 200  {"username":"mallory"}`,
    `${id} ${epoch + 1} 200  {"username":"mallory"}`,
    `${id} ${epoch}`,
    `${id} 99999999999999999999`,
    id,
    '',
    'x',
  ]) {
    await courier.query(`select pg_notify('operation_finished', $1)`, [payload])
  }
  for (const payload of ['', 'x', '[]', '{"task":7}', '{"task":"account/create"}']) {
    await courier.query(`select pg_notify('jobs:insert', $1), pg_notify('steps_asked', $1)`, [
      payload,
    ])
  }
  await courier.end()
  gate.open()
  t.match(await answer, { status: 200, body: { username: 'alice', state: 'suspended' } })
})

t.test('a notification of anything but an end is ignored', async t => {
  const id = '00000000-0000-4000-8000-000000000000'
  t.strictSame(parseFinished(`${id} 7`), { id, epoch: 7 })
  for (const payload of ['', id, `${id} `, `${id} -1`, `${id} 1e3`, `${id} 7 200  {}`, 'x 7']) {
    t.equal(parseFinished(payload), undefined, payload)
  }
})

async function listenAs(role: Role): Promise<pg.Client> {
  const url = new URL(databaseUrl)
  url.username = role
  const client = new pg.Client({ connectionString: url.href })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(channels.map(channel => `listen ${channel}`).join(';'))
  return client
}
