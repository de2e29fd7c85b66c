import t from 'tap'
import { list } from '../../src/model/jobs/jobs.ts'
import { database } from '../support/database.ts'

// Years of jobs may have ended: a page of them reads what it shows.

const count = 3_000
const limit = 20

t.test('the latest ended jobs are listed without reading the others', async t => {
  const { pool } = await database(t, 'panel_owned')
  await pool.query(`
    with package as (
      insert into panel.packages (name, seller_id)
      select 'starter', id from panel.sellers
      returning id, seller_id),
    account as (
      insert into panel.accounts (
        username, email, desired, state, package_id, seller_id, password_hash, uid, is_applied)
      select 'site' || n, 'site@example.com', 'active', 'active', p.id, p.seller_id, '$6$salt$hash',
        20000 + n, true
      from package p, generate_series(1, 100) n
      returning id, username),
    event as (
      insert into panel.events (name, account_id, body, data, created_at)
      select 'account.suspended', a.id, '{}', jsonb_build_object('username', a.username),
        now() - n * interval '1 minute'
      from generate_series(1, ${count}) n
      join account a on a.username = 'site' || 1 + n % 100
      returning id, account_id, created_at),
    webhook as (
      insert into panel.webhooks (url, secret)
      values ('https://billing.example.com/', repeat('x', 64)::bytea)
      returning id),
    delivery as (
      insert into panel.deliveries (
        webhook_id, event_id, state, attempts, created_at, finished_at, queue_job_id)
      select w.id, e.id, 'delivered', 1, e.created_at, e.created_at, e.id
      from event e, webhook w)
    insert into panel.hook_runs (
      event_id, account_id, state, created_at, started_at, finished_at, is_cancelled)
    select id, account_id, 'done', created_at, created_at, created_at, id % 1000 = 0
    from event`)
  await pool.query('analyze')

  const client = await pool.connect()
  const rowsRead = async () => {
    // The counters of a session are there for all at its next call.
    await client.query('select pg_stat_force_next_flush()')
    const { rows } = await client.query<{ read: number }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
       from pg_stat_user_tables where relname in ('deliveries', 'hook_runs')`,
    )
    return rows[0]!.read
  }
  const filters = {
    all: { states: ['done', 'failed', 'cancelled'] },
    'those that did not succeed': { states: ['failed', 'cancelled'] },
    "an account's": { states: ['done'], account: 'site7' },
  } as const
  for (const [name, { states, ...filter }] of Object.entries(filters)) {
    for (const task of ['webhook/deliver', 'hook/run'] as const) {
      const before = await rowsRead()
      const jobs = await list(client, { ...filter, states: [...states], task, limit })
      const read = (await rowsRead()) - before
      t.ok(read <= 10 * limit, `${read} rows are read to list ${name}, ${task}`)
      const isRare = name === 'those that did not succeed'
      const shown = !isRare ? limit : task === 'hook/run' ? count / 1_000 : 0
      t.equal(jobs.length, shown, `${name}, ${task}`)
      t.ok(jobs.every(job => job.task === task && states.some(state => state === job.state)))
    }
  }
  client.release()
})
