import t from 'tap'
import { migrate, migrateAnew } from '../../src/migrate.ts'
import { createToken } from '../../src/model/tokens.ts'
import { database } from '../database.ts'
import { scratch } from '../start/fixtures/scratch.ts'
import { until } from '../until.ts'
import { workerOn } from '../worker.ts'

// Operations of an earlier release, which knew tokens and accounts only: whatever state this one
// finds them in, it brings them to their end. Their rows have none of the columns that came since.

const { url, pool } = await database(t)
const { rows: migrations } = await pool.query('select name, sha256 from panel.migrations')
await migrateAnew(
  url,
  migrations.filter(({ name }) => name < '0023'),
)
await pool.query(
  `with own as (insert into panel.sellers default values returning id)
   insert into panel.owners (name, role, email, password_hash, seller_id)
   select 'bob', 'reseller', 'bob@example.com', '$argon2id$', id from own`,
)
await createToken(pool, { owner: 'bob', name: 'Billing' })
await pool.query(
  `insert into panel.packages (seller_id, name) select seller_id, 'starter' from panel.owners`,
)

const hash = '$6$salt$hash'
const states = ['queued', 'running', 'undoing', 'parked'] as const
const accounts: Record<string, string> = {}
for (const state of states) {
  const { rows } = await pool.query(
    `insert into panel.accounts (seller_id, package_id, username, email, password_hash, wanted,
       state, suspended_by, is_applied)
     select seller_id, id, $1, 'a@example.com', $2, $3, 'active', $4, false
     from panel.packages returning id`,
    [`${state}-one`, hash, ...(state === 'running' ? ['suspended', 'reseller'] : ['active', null])],
  )
  accounts[state] = rows[0].id
  if (state === 'parked') await begin('before', 'queued', rows[0].id)
  await begin(state, state, rows[0].id)
}

const root = scratch(t)
let worker: Awaited<ReturnType<typeof workerOn>> | undefined
t.teardown(() => worker?.stop())

t.test('what an earlier release has begun goes on under this one', async t => {
  await migrate(url)
  const { rows: taken } = await pool.query(
    `select distinct caller, caller_role, caller_words, lane = account_id as in_lane
     from panel.operations`,
  )
  t.strictSame(taken, [
    {
      caller: 'token:1',
      caller_role: 'reseller',
      caller_words: 'bob, token Billing',
      in_lane: true,
    },
  ])
  worker = await workerOn(url, root)
  const ended = await until(async () => {
    const { rows } = await pool.query(
      `select o.key, o.state, o.status, a.state as account, a.wanted, a.is_applied
       from panel.operations o join panel.accounts a on a.id = o.account_id
       where o.name = 'account/suspend' order by o.key`,
    )
    return rows.every(({ state }) => state === 'done' || state === 'failed') && rows
  })
  const suspended = { state: 'done', status: 200, account: 'suspended', wanted: 'suspended' }
  t.match(ended, [
    { key: 'before', ...suspended },
    { key: 'parked', ...suspended },
    { key: 'queued', ...suspended },
    { key: 'running', ...suspended },
    { key: 'undoing', state: 'failed', account: 'active', wanted: 'active', is_applied: true },
  ])
  const { rowCount } = await pool.query(`select from panel.events where name = 'account.suspended'`)
  t.equal(rowCount, 3, 'each account is told of once')
})

t.test('what an earlier release writes after a rollback is taken over as well', async () => {
  await begin('later', 'queued', accounts['undoing']!)
  await until(async () => {
    const { rows } = await pool.query(`select state from panel.operations where key = 'later'`)
    return rows[0].state === 'done'
  })
})

/** As the earlier release wrote it. */
async function begin(key: string, state: string, accountId: string): Promise<void> {
  const hasBegun = state === 'running' || state === 'undoing'
  const found = { wanted: 'active', suspend_reason: null, suspended_by: null, is_applied: true }
  const { rows } = await pool.query(`select package_id from panel.accounts where id = $1`, [
    accountId,
  ])
  await pool.query(
    `insert into panel.operations (token_id, key, fingerprint, name, account_id, username, state,
       wants, found, epoch, starts, error, started_at)
     select 1, $1, sha256('x'), 'account/suspend', a.id, a.username, $2, $3, $4, 1, $5, $6, $7
     from panel.accounts a where a.id = $8`,
    [
      ...[key, state, { wanted: 'suspended', suspend_reason: null, suspended_by: 'reseller' }],
      hasBegun ? { ...found, package_id: rows[0].package_id, password_hash: hash } : null,
      ...[hasBegun ? 1 : 0, state === 'undoing' ? 'It failed' : null],
      ...[hasBegun ? new Date() : null, accountId],
    ],
  )
}
