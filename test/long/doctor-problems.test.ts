import t from 'tap'
import { webhookTo } from '../support/courier.ts'
import { emit } from '../support/hooks/hooks.ts'
import { panelFor } from '../support/cli/run-panel.ts'

// No problem: paused on purpose, sent again, or retried well.

const { pool, panel } = await panelFor(t)
type Found = { name: string; state: string; sentence: string }
const doctor = async (...more: string[]) =>
  (await panel(['ctl', 'doctor', '--json', ...more])).json()
const found = async (name: string): Promise<Found> =>
  (await doctor()).checks.find((check: Found) => check.name === name)
const paused = (task: string) => panel(['jobs', 'pause', task])

t.test('shows only what is not well, where that is asked for', async t => {
  const [all, some] = [await doctor(), await doctor('--problems')]
  t.strictSame(
    some.checks.map(({ name }: Found) => name),
    all.checks
      .filter(({ state }: Found) => ['warning', 'failure'].includes(state))
      .map(({ name }: Found) => name),
  )
  t.match(some.checks, [{ state: 'failure' }])
  t.strictSame(some.counts, all.counts)
  const result = await panel(['ctl', 'doctor', '--problems'])
  t.equal(result.code, 2)
  t.match(result.stdout, /^ {2}FAILURE {2}worker: The worker is down/m)
  t.notMatch(result.stdout, /^ {2}(ok|-) /m)
  t.match(
    result.stderr,
    /^panel: \d+ checks: \d+ well, (1 warning|\d+ warnings), (1 failure|\d+ failures), /,
  )
})

t.test('an operation that succeeded on a repeat is no problem', async t => {
  const check = 'queue/failed-operations'
  const add = (state: string, more: string, values: string) =>
    pool.query(
      `insert into panel.operations (name, username, state, finished_at, ${more})
       values ('account/create', 'dave', '${state}', now(), ${values})`,
    )
  await add('failed', 'error', `'Not a folder'`)
  t.match(await found(check), { state: 'warning', sentence: /create dave: Not a folder/ })
  await add('done', 'status, body', `201, '{}'`)
  t.match(await found(check), { state: 'ok' })
  await add('failed', 'error', `'Not a folder again'`)
  t.match(await found(check), { sentence: /create dave: Not a folder again/ })
})

t.test('an operation of a paused task is no problem of its own', async t => {
  await pool.query(
    `with package as (
       insert into panel.packages (seller_id, name) select id, 'starter' from panel.sellers
       returning id, seller_id
     ), account as (
       insert into panel.accounts (seller_id, package_id, username, email, password_hash, state)
       select seller_id, id, 'alice', 'a@example.com', '$6$secret$hash', 'active' from package
       returning id)
     insert into panel.operations (name, account_id, username, state, created_at)
     select name, id, 'alice', state, now() - interval '1 hour' from account, (values
       ('account/suspend', 'queued'), ('account/apply', 'blocked')) as o (name, state)`,
  )
  const check = 'queue/old-operations'
  t.match(await found(check), { state: 'warning', sentence: /suspend alice.*apply alice/ })
  await paused('account/suspend')
  t.match(await found(check), { state: 'ok' })
  t.match(await found('queue/paused'), {
    state: 'warning',
    sentence: /Paused tasks: account\/suspend since 2/,
    advice: /^panel jobs resume account\/suspend/,
  })
  await panel(['jobs', 'resume', 'account/suspend'])
  t.match(await found('queue/paused'), { state: 'ok' })
})

t.test(
  'a failed delivery counts until it was sent again, and a hook run until it succeeded',
  async t => {
    const { id } = await webhookTo(pool, 'https://hooks.example.com/')
    const event = await emit(pool, 'database.created', { username: 'alice', database: 'alice_a' })
    await pool.query(
      `update panel.deliveries set state = 'failed', finished_at = now(), attempts = 1;
     insert into panel.attempts (delivery_id, number, started_at, duration_ms, error)
     select id, 1, now(), 3, 'Answered 500' from panel.deliveries`,
    )
    const sent = 'webhooks/failed-deliveries'
    const sentence = `Deliveries failed in the last day: ${id} (1, Answered 500)`
    t.match(await found(sent), { state: 'warning', sentence })
    await panel(['jobs', 'retry', '--task', 'webhook/deliver', '--yes'])
    t.match(await found(sent), { state: 'ok' })
    await pool.query(`update panel.deliveries set created_at = now() - interval '2 hours'`)
    t.match(await found('webhooks/backlog'), { state: 'warning', sentence: /^1 delivery is due/ })
    await paused('webhook/deliver')
    t.match(await found('webhooks/backlog'), { state: 'skipped', sentence: /is paused/ })

    await pool.query(
      `insert into panel.hook_runs (event_id, state, finished_at) values ($1, 'done', now())
     on conflict (event_id) do update set state = 'done', finished_at = now()`,
      [event],
    )
    const ran = `insert into panel.script_runs
    (id, event_id, name, path, outcome, reason, exit_code) values
    (gen_random_uuid(), $1, '10-note', '/hooks/10-note', $2, $3, $4)`
    await pool.query(ran, [event, 'failed', 'It ended with 1', 1])
    t.match(await found('queue/hook-scripts'), { state: 'warning', sentence: /10-note \(failed\)/ })
    await panel(['jobs', 'retry', `hook:${event}`])
    await pool.query(ran, [event, 'succeeded', null, 0])
    t.match(await found('queue/hook-scripts'), { state: 'ok' })
  },
)
