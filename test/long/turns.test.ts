import t from 'tap'
import { waiting } from '../support/at-once.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { barrier, until } from '../support/until.ts'

// An operation is decided when its turn comes, not when it is requested.

let hold: ReturnType<typeof barrier> | undefined
let failing: (step: string) => boolean = () => false
const panel = await openPanel(t, {
  observe: async (step, work) => {
    await hold?.pass()
    if (failing(step)) throw new Error('staged')
    await work()
  },
})
const { call, pool } = panel
const reseller = await makeReseller(pool, 'bigshop')
const { token } = reseller
await call('PUT', '/api/v1/packages/starter', { body: {}, token })
for (const username of ['alice', 'bob']) {
  const body = { ...alice, username, domain: `${username}.example` }
  await call('POST', '/api/v1/accounts', { body, token })
}
t.beforeEach(async () => {
  await call('POST', '/api/v1/accounts/alice/unsuspend')
})

const ask = (what: string, options = {}) => call('POST', `/api/v1/accounts/${what}`, options)

t.test('a reseller does not lift a suspension that waits before the own request', async t => {
  const open = await startPaused(() => ask('alice/suspend', { token: reseller.token }))
  void ask('alice/unsuspend')
  await blocked(1)
  void ask('alice/suspend', { body: { reason: 'abuse' } })
  await blocked(2)
  const lift = ask('alice/unsuspend', { token: reseller.token })
  await blocked(3)
  open()
  t.equal((await lift).status, 403)
  t.match(await call('GET', '/api/v1/accounts/alice'), {
    body: { state: 'suspended', suspend_reason: 'abuse' },
  })
})

t.test('a repeat after a 5xx takes the turn of its arrival, not of the first try', async t => {
  failing = () => true
  t.equal((await ask('alice/suspend', { key: 'early' })).status, 500)
  failing = () => false
  const open = await startPaused(() => ask('alice/suspend'))
  const before = ask('alice/unsuspend')
  await blocked(1)
  const repeat = ask('alice/suspend', { key: 'early' })
  await blocked(2)
  open()
  await Promise.all([before, repeat])
  t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'suspended' } })
})

t.test('a start whose key was used again on another account does nothing', async t => {
  // Queued on alice without a job; its start waits for its own row.
  const { rows: operations } = await pool.query<{ id: string }>(
    `insert into panel.operations (token_id, key, fingerprint, name, account_id, username, state,
       params, due_at)
     select 1, 'stale', sha256('x'), 'account/suspend', id, username, 'queued',
       '{"desired":"suspended"}', now() + interval '1 hour'
     from panel.accounts where username = 'alice'
     returning id`,
  )
  const { id } = operations[0]!
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query(
    `update panel.operations o set account_id = a.id, username = a.username, epoch = epoch + 1
     from panel.accounts a where o.id = $1 and a.username = 'bob'`,
    [id],
  )
  // The operation before gives its lane back a moment after its answer.
  await until(async () => {
    const { rowCount } = await pool.query(
      `select from pg_locks where locktype = 'advisory' and objsubid = 1`,
    )
    return rowCount === 0
  })
  const starter = await pool.connect()
  const start = starter.query(`select * from panel.start_operation($1, '{}')`, [id])
  await until(async () => (await waiting(pool)) > 0)
  await holder.query('commit')
  t.strictSame((await start).rows, [])
  const { rows: locks } = await pool.query(
    `select from pg_locks where locktype = 'advisory' and pid = $1`,
    [(starter as unknown as { processID: number }).processID],
  )
  t.strictSame(locks, [], 'and it keeps no account')
  holder.release()
  starter.release()
  await pool.query('select panel.enqueue_operation($1)', [id])
  await until(async () => (await call('GET', '/api/v1/accounts/bob')).body.state === 'suspended')
  t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'active' } })
})

t.test('a start whose account another session has locked delays no other', async t => {
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query(`select from panel.accounts where username = 'alice' for share`)
  const { rows } = await pool.query<{ id: string }>(
    `insert into panel.operations (token_id, key, fingerprint, name, account_id, username, state,
       params)
     select 1, 'held', sha256('x'), 'account/suspend', id, username, 'queued',
       '{"desired":"suspended"}'
     from panel.accounts where username = 'alice'
     returning id`,
  )
  await holder.query(
    `select panel.add_worker_job('account/suspend', json_build_object('operationId', $1::uuid),
       'token:1:held:1')`,
    [rows[0]!.id],
  )
  const starter = await pool.connect()
  const start = await starter.query(`select * from panel.start_operation($1, '{}')`, [rows[0]!.id])
  t.match(start.rows, [{ id: null }])
  starter.release()
  t.equal((await ask('bob/suspend')).status, 200)
  await holder.query('commit')
  holder.release()
  await pool.query('select panel.enqueue_operation($1)', [rows[0]!.id])
  await until(async () => (await call('GET', '/api/v1/accounts/alice')).body.state === 'suspended')
})

t.test('an undo that is tried often does not stop other accounts', async t => {
  failing = step => step === 'unlock' || step === 'erase home'
  const body = { ...alice, username: 'carol', domain: 'carol.example' }
  const carol = call('POST', '/api/v1/accounts', { body, token, key: 'carol' })
  for (let round = 0; round < 5; round++) {
    await until(async () => {
      const { rowCount } = await pool.query(
        `update panel.operations set due_at = now()
         where key = 'carol' and state = 'undoing' and due_at > now()`,
      )
      return rowCount === 1
    })
  }
  failing = step => step === 'erase home'
  t.equal((await ask('bob/unsuspend')).status, 200)
  failing = () => false
  t.equal((await carol).status, 500)
})

t.test('blocked operations of a revoked token end unrun, running ones end as usual', async t => {
  const open = await startPaused(() => ask('alice/suspend', { token: reseller.token, key: 'runs' }))
  const late = ask('alice/unsuspend', { token: reseller.token, key: 'waits' })
  await blocked(1)
  await pool.query('update panel.tokens set revoked_at = now() where id = $1', [reseller.id])
  open()
  t.ok((await late).status >= 500)
  t.match(await call('GET', '/api/v1/accounts/alice'), { body: { state: 'suspended' } })
  const { rows } = await pool.query(
    `select key, state from panel.operations where key in ('runs', 'waits') order by key`,
  )
  t.strictSame(rows, [
    { key: 'runs', state: 'done' },
    { key: 'waits', state: 'failed' },
  ])
})

// Starts an operation that waits in its first step until the test releases it.
async function startPaused(start: () => Promise<unknown>): Promise<() => void> {
  const barred = (hold = barrier())
  void start()
  await barred.stopped
  return () => {
    hold = undefined
    barred.open()
  }
}

async function blocked(count: number) {
  await until(async () => {
    const { rows } = await pool.query(`select from panel.operations where state = 'blocked'`)
    return rows.length === count
  })
}
