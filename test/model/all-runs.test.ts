import t from 'tap'
import { database } from '../support/database.ts'

// The statement behind lists, statistics and counts of jobs (all_runs.sql) is as quick as the
// indexes of the tables that it reads.

const { pool } = await database(t)

t.test('the latest jobs of all kinds are read in the order of indexes', async t => {
  // Nothing is sorted but rows of the same time, and no part of it is computed as a whole: that
  // would be so if a column had another type in one of the parts.
  await using client = await pool.connect().then(client => ({
    query: (text: string) => client.query<{ 'QUERY PLAN': string }>(text),
    [Symbol.asyncDispose]: async () => client.release(true),
  }))
  await client.query('set search_path = panel, pg_temp; set enable_seqscan = off')
  const { rows } = await client.query(
    `explain (costs off) select kind, id from all_runs()
     where is_ended and is_last order by created_at desc, id limit 50`,
  )
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  t.match(plan, /Incremental Sort[^]*Merge Append/)
  t.notMatch(plan, /Subquery Scan|^ *-> +Sort/m)
  for (const index of [
    ...['operations_finished', 'deliveries_latest', 'hook_runs_ended', 'maintenance_runs_due'],
  ]) {
    t.match(plan, `using ${index}`)
  }
})
