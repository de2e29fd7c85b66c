import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { courierOn, emitted, hurryRetries, webhookTo } from '../support/courier.ts'
import { emit, openHooks } from '../support/hooks/hooks.ts'
import { receiverFor } from '../support/receiver.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { callPanel } from '../support/cli/run-panel.ts'

// Hook runs and deliveries for an administrator.

const { panel, pool, script, ended } = await openHooks(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const jobsOf = (...words: string[]) => callPanel(['jobs', ...words], environment)
const show = async (id: string) => (await jobsOf('show', id, '--json')).json()
const out = scratch(t)
const noted = () => readFileSync(join(out, 'noted'), 'utf8')

t.test('a retried hook run starts only the scripts that failed', async t => {
  script('backup.completed', '10-well', `echo well >>${out}/noted`)
  script('backup.completed', '20-ill', `echo ill >>${out}/noted; test -e ${out}/cure`)
  const id = `hook:${await emit(pool, 'backup.completed', {})}`
  await ended()
  const failed = await show(id)
  t.match(failed, {
    ...{ id, kind: 'hook run', task: 'hook/run', state: 'failed', attempts: 1 },
    asked_by: 'the event backup.completed',
    error: /^20-ill: /,
    steps: [
      { name: '10-well', outcome: 'succeeded', ms: Number, error: null },
      { name: '20-ill', outcome: 'failed', error: String },
    ],
  })
  t.match((await jobsOf('ls', '--task', 'hook/run', '--state', 'failed', '--json')).json(), {
    jobs: [{ id, error: failed.error }],
  })
  writeFileSync(join(out, 'cure'), '')
  t.match(await jobsOf('retry', id, '--json'), {
    code: 0,
    stdout: `{"id":"${id}","retry_of":"${id}"}\n`,
  })
  await ended()
  const { steps, ...job } = await show(id)
  t.match(job, { state: 'done', attempts: 2, error: null })
  t.match(steps[1], { outcome: 'failed', is_repeated: true })
  t.equal(noted(), 'well\nill\nill\n')
  t.match(await jobsOf('retry', id), { code: 1, stderr: /has succeeded/ })
  t.match(await jobsOf('cancel', id), { code: 1, stderr: /has ended/ })
})

t.test('a hook run that waits can be cancelled, and asked for again', async t => {
  rmSync(join(out, 'noted'))
  await jobsOf('pause', 'hook/run')
  const id = `hook:${await emit(pool, 'backup.completed', {})}`
  t.match(await show(id), { state: 'queued', is_paused: true, started_at: null, steps: [] })
  t.match(await jobsOf('retry', id), { code: 1, stderr: /still waiting for its turn/ })
  t.match(await jobsOf('cancel', id), { code: 0, stdout: /^state +cancelled$/m })
  await jobsOf('resume', 'hook/run')
  const next = `hook:${await emit(pool, 'backup.completed', {})}`
  await ended()
  t.match(await show(next), { state: 'done' })
  t.equal(noted(), 'well\nill\n', 'the cancelled one has not run')
  t.match(await show(id), { state: 'cancelled', steps: [] })
  t.match(await jobsOf('retry', id), { code: 0 })
  await ended()
  t.match(await show(id), { state: 'done', error: null })
  t.equal(noted(), 'well\nill\n'.repeat(2))
})

t.test('deliveries wait, are cancelled, and go on', async t => {
  const receiver = await receiverFor(t)
  await webhookTo(pool, receiver.url, ['database.created'])
  const data = { username: 'alice', database: 'shop' }
  const make = async () => {
    const { id } = await emitted(pool, 'database.created', data)
    const { rows } = await pool.query('select id from panel.deliveries where event_id = $1', [id])
    return rows[0].id as string
  }
  await jobsOf('pause', 'webhook/deliver')
  const [first, second] = [await make(), await make()]
  t.match(await show(first), { state: 'queued', is_paused: true, task: 'webhook/deliver' })
  t.match(await jobsOf('cancel', first), { code: 0 }, 'while no courier is up')
  const courier = await courierOn(t, panel.databaseUrl)
  const third = await make()
  await until(async () => {
    const { rowCount } = await pool.query('select from courier_queue.jobs')
    return rowCount === 0
  })
  t.match(await show(third), { state: 'queued', is_paused: true, attempts: 0 })
  t.match(await jobsOf('cancel', third), { code: 0 }, 'after a courier has left it')
  t.match(await jobsOf('cancel', third), { code: 1, stderr: /has ended/ })
  await jobsOf('resume', 'webhook/deliver')
  await until(async () => (await show(second)).state === 'done')
  t.equal(receiver.received.length, 1, 'the cancelled ones were not sent')
  t.match(await show(first), { state: 'cancelled', steps: [] })
  t.match(await jobsOf('retry', second), { code: 1, stderr: /panel webhook redeliver/ })
  const again = (await jobsOf('retry', first, '--json')).json()
  t.match(again, { retry_of: first, id: /^[0-9a-f-]{36}$/ })
  await until(async () => (await show(again.id)).state === 'done')
  t.match(await show(again.id), { asked_by: `a redelivery of ${first}`, account: 'alice' })
  await courier.stop()
})

t.test('each attempt of a delivery is shown; one in flight is not cancelled', async t => {
  const receiver = await receiverFor(t)
  const held = Promise.withResolvers<void>()
  receiver.answer = async (_request, response) => {
    await held.promise
    response.writeHead(503).end()
  }
  await webhookTo(pool, receiver.url, ['mail.domain_created'])
  await courierOn(t, panel.databaseUrl)
  const { id: eventId } = await emitted(pool, 'mail.domain_created', {
    ...{ username: 'alice', domain: 'alice.example' },
  })
  const { rows } = await pool.query('select id from panel.deliveries where event_id = $1', [
    eventId,
  ])
  const id: string = rows[0].id
  await until(() => receiver.received.length === 1)
  t.match(await show(id), { state: 'running' })
  t.match(await jobsOf('cancel', id), { code: 1, stderr: /has started and cannot be interrupted/ })
  held.resolve()
  for (const attempts of [1, 2]) {
    await until(async () => (await show(id)).attempts === attempts)
    await hurryRetries(pool)
  }
  await until(async () => (await show(id)).state === 'failed')
  t.match(await show(id), {
    ...{ state: 'failed', attempts: 3, error: 'Answered 503' },
    steps: [
      { name: null, number: 1, at_ms: 0, outcome: 'answered', status: 503, error: 'Answered 503' },
      { number: 2 },
      { number: 3 },
    ],
  })
  t.match((await jobsOf('ls', '--state', 'failed', '--json')).json().jobs[0], { id, attempts: 3 })
  const stats = (await jobsOf('stats', '--json')).json()
  t.match(
    stats.tasks.find(({ task }: { task: string }) => task === 'webhook/deliver'),
    { ended: 5, failed: 1 },
  )
  t.match(stats.processes, { worker: true, courier: true })
})
