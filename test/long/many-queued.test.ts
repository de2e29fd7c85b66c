import t from 'tap'
import { openPool } from '../../src/db.ts'
import { database } from '../support/database.ts'

// As many operations are queued at once as a statement could not compare with as many jobs.

const count = 30_000

t.test(`a lost job is found among ${count}, whatever was planned before`, async t => {
  const { url, pool } = await database(t, 'panel_owned')
  const worker = openPool(url, 'panel_worker', 1)
  t.teardown(() => worker.end())
  const sweep = async () =>
    (await worker.query<{ enqueued: number }>('select enqueued from panel.sweep()')).rows[0]

  await pool.query(
    `update pg_class set reltuples = 0, relpages = 1
     where oid = 'worker_queue._private_jobs'::regclass`,
  )
  // A statement of a function is planned for good after five runs.
  for (let turn = 0; turn < 8; turn++) t.match(await sweep(), { enqueued: 0 })
  await pool.query(
    `insert into panel.operations
       (token_id, key, fingerprint, state, name, username, queue_job_id)
     select min(t.id), n, decode(repeat('00', 32), 'hex'), 'queued', 'account/suspend', 'alice',
       1000000 + n
     from panel.tokens t, generate_series(1, $1::int) n group by n`,
    [count],
  )
  await pool.query(
    `insert into worker_queue._private_tasks (identifier) values ('account/suspend')`,
  )
  await pool.query(
    `insert into worker_queue._private_jobs (id, task_id, payload, run_at, max_attempts)
     overriding system value
     select 1000000 + n, t.id, '{}', '2000-01-01', 25
     from worker_queue._private_tasks t, generate_series(1, $1::int) n`,
    [count],
  )
  t.match(await sweep(), { enqueued: 0 })
  await pool.query('delete from worker_queue._private_jobs where id in (1002000, 1003000)')
  t.match(await sweep(), { enqueued: 2 })
  t.match(await sweep(), { enqueued: 0 })
})
