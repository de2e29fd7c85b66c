import t from 'tap'
import { isOutage, openPool } from '../src/db.ts'
import { database } from './database.ts'

const { url, pool: superuser } = await database(t)

t.test('whatever a lost connection makes of a query is an outage', async t => {
  const pool = openPool(url, 'panel_api', 1)
  const client = await pool.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  await superuser.query('select pg_terminate_backend($1)', [rows[0]!.pid])
  const failures: unknown[] = []
  // The first query gets the reason, the others that the connection is lost.
  for (const _query of [1, 2, 3]) {
    failures.push(await client.query('select 1').catch((error: unknown) => error))
  }
  for (const failure of failures) t.ok(isOutage(failure), String(failure))
  client.release(true)
  t.equal((await pool.query('select 1 as one')).rows.length, 1, 'the pool goes on')
  await pool.end()
})

t.test('what a statement itself is told is none', async t => {
  const failure = await superuser.query('select 1 / 0').catch((error: unknown) => error)
  t.notOk(isOutage(failure), String(failure))
})
