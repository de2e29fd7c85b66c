import t from 'tap'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// One operation of an account is in progress, the others are blocked behind it in their order.

let isFailing = false
const gate = openGate(() => isFailing)
const panel = await openPanel(t, { observe: gate.observe })
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

const post = (path: string, key: string, body?: unknown) =>
  panel.call('POST', `/api/v1/accounts${path}`, { key, ...(body === undefined ? {} : { body }) })

const blocked = (count: number) =>
  until(async () => {
    const { rows } = await panel.pool.query(
      `select count(*)::int as n from panel.operations where state = 'blocked'`,
    )
    return rows[0].n === count
  })

t.test('operations of one account take their turns in the order they came', async t => {
  gate.close()
  const created = post('', 'create', alice)
  await gate.reached()
  const suspended = post('/alice/suspend', 'suspend')
  await blocked(1)
  const unsuspended = post('/alice/unsuspend', 'unsuspend')
  await blocked(2)
  t.equal((await post('/alice/suspend', 'suspend')).status, 409)
  gate.open()

  t.match(await created, { status: 201, body: { state: 'active' } })
  t.match(await suspended, { status: 200, body: { state: 'suspended' } })
  t.match(await unsuspended, { status: 200, body: { state: 'active' } })
  const { rows } = await panel.pool.query('select name from panel.events order by id')
  t.strictSame(
    rows.map(row => row.name),
    ['account.created', 'site.created', 'account.suspended', 'account.unsuspended'],
  )
})

t.test('an operation blocked by a failing create ends as a stored 404', async t => {
  gate.close()
  const body = { ...alice, username: 'bob', domain: 'bob.example' }
  const created = post('', 'create-bob', body)
  await gate.reached()
  const suspended = post('/bob/suspend', 'suspend-bob')
  await blocked(1)
  isFailing = true
  gate.open()
  // Only the create fails; its undo has steps too.
  await until(async () => {
    const { rows } = await panel.pool.query(
      `select state from panel.operations where key = 'create-bob'`,
    )
    return rows[0].state === 'undoing'
  })
  isFailing = false

  t.equal((await created).status, 500)
  t.match(await suspended, { status: 404, body: { error: 'Unknown account: bob' } })
  const again = await post('/bob/suspend', 'suspend-bob')
  t.equal(again.status, 404)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
})

t.test('an operation blocked by a terminate does not hit the name’s next account', async t => {
  const body = { ...alice, username: 'carol', domain: 'carol.example' }
  await post('', 'create-carol', body)
  gate.close()
  const first = post('/carol/suspend', 'suspend-carol')
  await gate.reached()
  const second = post('/carol/unsuspend', 'unsuspend-carol')
  await blocked(1)
  // The end of a terminate, and a new account of that name.
  await panel.pool.query(
    `select panel.complete_account(
       panel.finish_operation(id, epoch, 200, '{}', null, '{}', '{}'),
       '{"state":"terminated","warnings":[]}')
     from panel.operations where key = 'suspend-carol'`,
  )
  await panel.pool.query(`delete from panel.sites s using panel.accounts a
    where a.id = s.account_id and a.username = 'carol'`)
  const { rows } = await panel.pool.query(
    `insert into panel.accounts
       (seller_id, package_id, username, email, password_hash, state, is_applied)
     select seller_id, package_id, username, 'next@example.com', password_hash, 'suspended', true
     from panel.accounts where username = 'carol'
     returning id`,
  )
  gate.open()
  await first
  t.match(await second, { status: 404, body: { error: 'Unknown account: carol' } })
  const { rows: next } = await panel.pool.query('select state from panel.accounts where id = $1', [
    rows[0].id,
  ])
  t.strictSame(next, [{ state: 'suspended' }])
})

t.test('the sweeper promotes what is blocked behind nothing', async t => {
  await panel.pool.query(
    `insert into panel.operations
       (token_id, key, fingerprint, name, account_id, username, state, params)
     select 1, 'lost', sha256('x'), 'account/suspend', id, username, 'blocked',
       '{"desired":"suspended"}'
     from panel.accounts where username = 'alice'`,
  )
  await until(async () => {
    const { rows } = await panel.pool.query(
      `select state, status from panel.operations where key = 'lost'`,
    )
    return rows[0].state === 'done' && rows[0].status === 200
  })
  t.match(await panel.call('GET', '/api/v1/accounts/alice'), { body: { state: 'suspended' } })
})

t.test('the sweeper enqueues again what has lost its job', async t => {
  gate.close()
  const answer = post('/alice/unsuspend', 'lost-job')
  await gate.reached()
  gate.open()
  t.equal((await answer).status, 200)
  await panel.pool.query(
    `insert into panel.operations
       (token_id, key, fingerprint, name, account_id, username, state, params, queue_job_id)
     select 1, 'jobless', sha256('x'), 'account/suspend', id, username, 'queued',
       '{"desired":"suspended"}', 999999999
     from panel.accounts where username = 'alice'`,
  )
  await until(async () => {
    const { rows } = await panel.pool.query(
      `select state from panel.operations where key = 'jobless'`,
    )
    return rows[0].state === 'done'
  })
})
