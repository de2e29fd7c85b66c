import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import t from 'tap'
import {
  all,
  anyFirst,
  connect,
  connection,
  count,
  type Db,
  isOutage,
  maybeOne,
  oneOrThrow,
  openPool,
  sql,
  oneFirst,
} from '../src/db.ts'
import { database } from './support/database.ts'

const { url, pool: superuser } = await database(t)

t.test('every error of a lost connection is an outage', async t => {
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

t.test('a database that takes a connection and says nothing is an outage', async t => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const config = connection(`postgresql://127.0.0.1:${port}/panel?sslmode=disable`, 'panel_api')
  const failure = await connect({ ...config, connectionTimeoutMillis: 100 }).catch(error => error)
  t.ok(isOutage(failure), String(failure))
  for (const code of ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'EAI_AGAIN']) {
    t.ok(isOutage(Object.assign(new Error(code), { code })), code)
  }
})

t.test('statements of one turn go out at once, and are answered in their order', async t => {
  const pool = openPool(url, 'panel_api', 1)
  const client = await pool.connect()
  const stream = client.connection.stream as Duplex
  const written: object[][] = []
  const { _writev: writeAll } = stream
  t.teardown(() => pool.end())
  stream._writev = (chunks, done) => {
    written.push(chunks)
    writeAll?.call(stream, chunks, done)
  }
  const asked = [1, 2, 3].map(number => oneFirst<number>(client, 'asked')`select ${number}::int`)
  t.strictSame(
    await Promise.all([client.query('begin'), ...asked, client.query('commit')]).then(
      ([, ...answers]) => answers.slice(0, 3),
    ),
    [1, 2, 3],
  )
  t.equal(written.length, 1)
  client.release()
})

t.test('no statement waits for a compiler', async t => {
  const setting = (db: Db) => oneFirst<string>(db)`select current_setting('jit')`
  t.equal(await setting(superuser), 'on', "PostgreSQL's own default")
  const pool = openPool(url, 'panel_api', 1)
  t.equal(await setting(pool), 'off')
  await pool.end()
})

t.test('an error of a statement itself is no outage', async t => {
  const failure = await superuser.query('select 1 / 0').catch((error: unknown) => error)
  t.notOk(isOutage(failure), String(failure))
})

t.test('a value in a statement is sent apart from its text', async t => {
  const hostile = `'; drop table panel.accounts; --`
  const both = sql`${1}::int as first, ${hostile}::text as second`
  t.strictSame(await all(superuser)`select ${both}, ${3}::int as third`, [
    { first: 1, second: hostile, third: 3 },
  ])
  const named = () => oneFirst<string>(superuser, 'named')`select ${hostile}::text`
  t.equal(await named(), hostile)
  t.equal(await named(), hostile, 'its plan serves a repeat')
  t.strictSame(await anyFirst<number>(superuser)`select unnest(${[1, 2]}::int[])`, [1, 2])
})

t.test('a statement says what there is to it', async t => {
  const none = sql`select 1 as one where false`
  t.equal(await maybeOne(superuser)`${none}`, undefined)
  t.equal(await oneFirst(superuser)`${none}`, undefined)
  t.equal(await count(superuser)`${none}`, 0)
  await t.rejects(oneOrThrow(superuser, () => new Error('There is none'))`${none}`, /There is none/)
  t.strictSame(await oneOrThrow(superuser, () => new Error())`select 1 as one`, { one: 1 })
})
