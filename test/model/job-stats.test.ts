import t from 'tap'
import { openPool, transaction } from '../../src/db.ts'
import { read } from '../../src/model/jobs/job-stats.ts'
import { database } from '../support/database.ts'

// The numbers of the last hour, on a panel that was busy for a day.

const { url, pool } = await database(t, 'panel_owned')
const db = openPool(url, 'panel_owner', 1)
t.teardown(() => db.end())
const rows = 20_000

t.before(async () => {
  await pool.query(
    `insert into panel.operations
       (token_id, key, fingerprint, name, state, status, body,
        created_at, started_at, finished_at)
     select (select min(id) from panel.tokens), n::text, sha256('x'), 'account/suspend', 'done',
       200, 'x', m.at, m.at + interval '10 ms', m.at + interval '30 ms'
     from generate_series(1, $1) n
     cross join lateral (select now() - interval '70 min' - n * interval '4 s' as at) m`,
    [rows],
  )
  // One of these has waited for a day.
  await pool.query(
    `update panel.operations
     set finished_at = now() - interval '90 s', started_at = now() - interval '91 s',
       state = 'failed', status = null, body = null
     where key = '20000'`,
  )
  await pool.query('analyze panel.operations')
})

t.test('operations that ended within the hour count, whenever they were requested', async t => {
  const { total, tasks, minutes } = await read(db)
  t.match(total, { ended: 1, failed: 1, ran_ms: { p50: 1_000 }, per_minute: 0.02 })
  t.ok((total.waited_ms?.p50 ?? 0) > 80_000_000)
  t.match(tasks, [{ ...total, task: 'account/suspend' }])
  t.strictSame(minutes.at(-2), { ended: 1, failed: 1 })
  t.equal(minutes.length, 60)
})

t.test('operations that ended before are not searched', async t => {
  // Other connections' reads may be counted at any moment: only this transaction's are.
  await transaction(db, async client => {
    await read(client)
    const { rows: found } = await client.query<{ read: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as read
       from pg_stat_xact_user_tables where relid = 'panel.operations'::regclass`,
    )
    t.ok(found[0]!.read > 0)
    t.ok(found[0]!.read < rows / 10)
  })
})
