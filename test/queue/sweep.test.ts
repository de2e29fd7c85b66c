import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { database } from '../support/database.ts'

// The sweeper locks many lanes in one transaction, while others lock one or several.

const { pool } = await database(t, 'panel_owned')
await pool.query(`
  with package as (
    insert into panel.packages (name, seller_id)
    select 'starter', id from panel.sellers
    returning id, seller_id)
  insert into panel.accounts (
    id, username, email, desired, state, package_id, seller_id, password_hash, uid, is_applied)
  overriding system value
  select n, 'site' || n, 'site@example.com', 'active', 'active', p.id, p.seller_id, '$6$salt$hash',
    20000 + n, true
  from package p, generate_series(1, 3) n`)

// As after a resumed task: queued without a job, the third one first.
const queue = () =>
  pool.query(`
    insert into panel.operations (name, account_id, username, state, due_at)
    select 'account/apply', n, 'site' || n, 'queued', now() - n * interval '1 second'
    from generate_series(1, 3) n`)

const enqueued = async () => {
  const { rows } = await pool.query<{ lane: number }>(`
    select lane::int from panel.operations
    where state = 'queued' and queue_job_id is not null
    order by lane`)
  return rows.map(({ lane }) => lane)
}

const waiting = `
  select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

t.test('a locked lane is left to the next turn, and delays no other', async t => {
  await queue()
  const holder = await pool.connect()
  await holder.query('begin; select from panel.accounts where id = 2 for no key update')
  await pool.query(`set lock_timeout = '5s'; select panel.sweep()`)
  t.strictSame(await enqueued(), [1, 3])
  await holder.query('commit')
  holder.release()
  await pool.query('select panel.sweep()')
  t.strictSame(await enqueued(), [1, 2, 3])
  await pool.query('delete from panel.operations')
})

t.test('a sweep and a rebuild at once do not wait for each other', async t => {
  await queue()
  const [holder, rebuilder] = [await pool.connect(), await pool.connect()]
  await holder.query('begin; select from panel.accounts where id = 2 for no key update')
  // It has the first account, and waits for the second.
  const rebuilding = rebuilder.query(`select panel.rebuild_accounts('{1,2,3}')`)
  const isWaiting = async () => (await pool.query(waiting)).rowCount === 1
  while (!(await isWaiting())) await sleep(5)
  await pool.query('select panel.sweep()')
  t.strictSame(await enqueued(), [3])
  await holder.query('commit')
  t.equal((await rebuilding).rowCount, 3)
  for (const client of [holder, rebuilder]) client.release()
  await pool.query('delete from panel.operations')
})

t.test('hook scripts of an account that is gone have their turn', async t => {
  await pool.query(`
    with event as (
      insert into panel.events (name, account_id, body, data)
      values ('account.deleted', 99, '{}', '{"username":"gone"}')
      returning id)
    insert into panel.hook_runs (event_id, account_id, state) select id, 99, 'queued' from event`)
  await pool.query('select panel.sweep()')
  const { rowCount } = await pool.query(
    'select from panel.hook_runs where queue_job_id is not null and account_id = 99',
  )
  t.equal(rowCount, 1)
})
