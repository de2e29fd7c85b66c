import t from 'tap'
import { database } from '../support/database.ts'

// However much waits, to begin one more reads what its own lane has: 10,000 begins would else read
// 50 million rows.

const count = 500

t.test('a changed package is begun for each account without reading the others', async t => {
  const { pool } = await database(t, 'panel_owned')
  await pool.query(`
    with package as (
      insert into panel.packages (name, seller_id, apply_after)
      select 'starter', id, 0 from panel.sellers
      returning id, seller_id)
    insert into panel.accounts (
      username, email, desired, state, package_id, seller_id, password_hash, uid, is_applied)
    select 'site' || n, 'site@example.com', 'active', 'active', p.id, p.seller_id, '$6$salt$hash',
      20000 + n, true
    from package p, generate_series(1, ${count}) n`)

  const client = await pool.connect()
  // The counters of a session are there for all at its next call.
  const begin = async () => {
    await client.query('select panel.apply_package(id, 1000) from panel.packages')
    await client.query('select pg_stat_force_next_flush()')
  }
  const rowsRead = async () => {
    const { rows } = await client.query<{ read: number }>(
      `select (t.seq_tup_read + sum(i.idx_tup_read))::int as read
       from pg_stat_user_tables t join pg_stat_user_indexes i using (relid)
       where t.relid = 'panel.operations'::regclass
       group by t.seq_tup_read`,
    )
    return rows[0]!.read
  }
  await begin()
  const first = await rowsRead()
  t.ok(first <= 5 * count, `${first} rows are read to begin ${count}`)

  // Each waits already, so that nothing is begun again.
  await client.query('update panel.packages set apply_after = 0')
  await begin()
  const second = (await rowsRead()) - first
  t.ok(second >= count && second <= 5 * count, `${second} rows are read to find ${count}`)
  const { rows } = await client.query(
    'select state, count(*)::int from panel.operations group by state',
  )
  t.strictSame(rows, [{ state: 'queued', count }])
  client.release()
})
