import { dirname } from 'node:path'
import t from 'tap'
import { stepsOf } from '../../src/host/apply.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { tree } from '../support/tree.ts'
import { until } from '../support/until.ts'

// A create with a failing step ends in 500 and leaves nothing. Once the cause is gone, the same key
// succeeds.

let failing: string[] = []
const panel = await openPanel(t, {
  observe: async (step, work) => {
    await work()
    if (failing.includes(step)) throw new Error(`${step} is on fire`)
  },
})
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

for (const [index, step] of stepsOf('active').entries()) {
  t.test(`a create that fails at «${step}» leaves nothing and can be repeated`, async t => {
    const body = { ...alice, username: `user${index}`, domain: `site${index}.example` }
    const request = { key: `failed-${index}`, body }
    const before = { files: await tree(panel.root), rows: await rows() }
    failing = [step]
    const failed = await panel.call('POST', '/api/v1/accounts', request)
    t.equal(failed.status, 500)
    t.notMatch(failed.text, /fire/, 'the reason is the administrator’s')
    t.strictSame({ files: await tree(panel.root), rows: await rows() }, before)
    t.equal((await panel.call('GET', `/api/v1/accounts/user${index}`)).status, 404)
    const { rows: operations } = await panel.pool.query(
      'select state, error from panel.operations where key = $1',
      [request.key],
    )
    t.match(operations, [{ state: 'failed', error: `${step} is on fire` }])

    failing = []
    const repeat = await panel.call('POST', '/api/v1/accounts', request)
    t.equal(repeat.status, 201)
    t.equal(repeat.headers.get('idempotent-replayed'), null)
  })
}

t.test('an undo that fails holds the key and is taken up again until it is done', async t => {
  const request = { key: 'undo', body: { ...alice, username: 'erin', domain: 'erin.example' } }
  const before = await tree(panel.root)
  const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
  const id = async () =>
    (await panel.pool.query(`select id from panel.operations where key = 'undo'`)).rows[0].id
  const shown = async () =>
    (await callPanel(['jobs', 'show', await id(), '--json'], environment)).json()
  failing = ['unlock', 'erase home']
  const answer = panel.call('POST', '/api/v1/accounts', request)
  const retry = (change: string) =>
    until(async () => {
      const { rowCount } = await panel.pool.query(
        `update panel.operations set due_at = now() ${change}
         where key = 'undo' and state = 'undoing' and starts = 0 and due_at > now()`,
      )
      return rowCount === 1
    })
  const isDeferred = `select from panel.operations where key = 'undo' and undo_error is not null`
  await until(async () => (await panel.pool.query(isDeferred)).rowCount === 1)
  t.equal((await panel.call('POST', '/api/v1/accounts', request)).status, 409)
  const first = 'unlock is on fire; its undo failed: erase home is on fire'
  const later = 'unlock is on fire; its undo failed: lock is on fire'
  t.match(await shown(), { state: 'undoing', error: first })

  failing = ['lock']
  await retry('')
  await until(async () => (await shown()).error === later)
  // As one that was killed leaves it.
  await retry(', starts = 1, steps = null')
  await until(async () => /Interrupted/.test(JSON.stringify((await shown()).earlier_starts)))
  failing = []
  await retry('')
  t.equal((await answer).status, 500)
  t.strictSame(await tree(panel.root), before)
  const { earlier_starts: earlier, steps, ...job } = await shown()
  t.match(job, { state: 'failed', attempts: earlier.length + 1, error: 'unlock is on fire' })
  const errors = earlier.map(({ error }: { error: string }) => error)
  t.equal(errors[0], first)
  t.strictSame(new Set(errors), new Set([first, later, 'Interrupted']))
  t.equal(errors.indexOf('Interrupted'), errors.lastIndexOf('Interrupted'), 'once')
  const failed = (some: { name: string; outcome: string; error: string | null }[]) =>
    some.flatMap(({ name, outcome, error }) => (outcome === 'failed' ? [[name, error]] : []))
  t.strictSame(failed(earlier[0].steps), [
    ['unlock', 'unlock is on fire'],
    ['erase home', 'erase home is on fire'],
  ])
  t.strictSame(failed(earlier.at(-1).steps), [['lock', 'lock is on fire']])
  t.match(steps.at(-1), { name: 'remove user', outcome: 'done', error: null })
  const text = (await callPanel(['jobs', 'show', await id()], environment)).stdout
  t.match(text, /^start 1 +unlock is on fire; its undo[^]*^start \d +Interrupted$/m)

  t.equal((await panel.call('POST', '/api/v1/accounts', request)).status, 201)
  const repeated = await shown()
  t.match(repeated, { state: 'done', attempts: job.attempts + 1, error: null })
  t.match(repeated.earlier_starts.at(-1), { number: job.attempts, error: 'unlock is on fire' })
})

t.test('an operation that fails for days keeps its first start, and the latest', async t => {
  const { rows } = await panel.pool.query(
    `with recursive more as (
       select jsonb_populate_record(o, '{"earlier_starts": null}') as o, 0 as count
       from panel.operations o where key = 'undo'
       union all
       select jsonb_populate_record(
           o, jsonb_build_object('earlier_starts', panel.with_last_start(o))), count + 1
       from more where count < 100)
     select array(select (e ->> 'number')::int from jsonb_array_elements((o).earlier_starts) e) as n
     from more where count = 100`,
  )
  t.strictSame(rows[0].n, [1, 92, 93, 94, 95, 96, 97, 98, 99, 100])
})

async function rows() {
  const { rows: counts } = await panel.pool.query(
    `select (select count(*)::int from panel.accounts) as accounts,
       (select count(*)::int from panel.site_names) as names,
       (select count(*)::int from panel.events) as events,
       (select count(*)::int from worker_queue._private_jobs where locked_at is null) as jobs`,
  )
  return counts[0]
}
