import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { event } from '../../src/model/events/events.ts'
import { courierOn, emitted, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { install } from '../support/hooks/hooks.ts'
import { alice, openPanel } from '../support/panel.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Each event has a number, in the order of the changes and without a gap, which is the same for all
// who get it; and no change waits for another one's.

type Pool = Awaited<ReturnType<typeof database>>['pool']
const numbersOf = async (pool: Pool) => {
  const { rows } = await pool.query<{ name: string; sequence: number | null }>(
    `select data ->> 'username' as name, sequence::int from panel.events order by id`,
  )
  return rows.map(({ name, sequence }) => [name, sequence])
}
const number = async (pool: Pool): Promise<number> =>
  (await pool.query('select panel.number_events() as count')).rows[0].count

t.test('numbers are given to what is committed, in the order of its ids', async t => {
  const { pool } = await database(t)
  const deleted = (db: Pick<Pool, 'query'>, username: string) =>
    emitted(db, 'account.deleted', { username })
  // The queue writes down the name of a task with its first job, which others then wait for.
  await deleted(pool, 'first')
  const slow = await pool.connect()
  await slow.query('begin')
  await deleted(slow, 'slow')
  const undone = await pool.connect()
  await undone.query('begin')
  await deleted(undone, 'undone')
  // While both are open; it would wait for them if one change locked another one out.
  await pool.query(`set lock_timeout = '2s'`)
  await deleted(pool, 'quick')
  await deleted(pool, 'second')
  t.equal(await number(pool), 3)
  t.strictSame(await numbersOf(pool), [
    ['first', 1],
    ['quick', 2],
    ['second', 3],
  ])
  await undone.query('rollback')
  undone.release()
  await slow.query('commit')
  slow.release()
  t.equal(await number(pool), 1)
  t.equal(await number(pool), 0)
  t.strictSame(
    await numbersOf(pool),
    [
      ['first', 1],
      ['slow', 4],
      ['quick', 2],
      ['second', 3],
    ],
    'a number that a reader may have seen stays, and one that was rolled back leaves no gap',
  )
})

t.test('a numbering that is rolled back gives its numbers back', async t => {
  const { pool } = await database(t)
  await emitted(pool, 'account.deleted', { username: 'alice' })
  const client = await pool.connect()
  await client.query('begin')
  t.equal(await number(client as unknown as Pool), 1)
  const waiting = number(pool)
  await sleep(50)
  await client.query('rollback')
  client.release()
  t.equal(await waiting, 1)
  t.strictSame(await numbersOf(pool), [['alice', 1]])
})

t.test('numbers go on where the events before are gone', async t => {
  const { pool } = await database(t)
  await emitted(pool, 'account.deleted', { username: 'alice' })
  await number(pool)
  await pool.query(`update panel.events set created_at = now() - interval '31 days'`)
  await pool.query('delete from panel.hook_runs')
  await pool.query('select panel.purge(100)')
  t.strictSame(await numbersOf(pool), [])
  await emitted(pool, 'account.deleted', { username: 'bob' })
  await number(pool)
  t.strictSame(await numbersOf(pool), [['bob', 2]])
})

t.test('the release before emits numbered events, too', async t => {
  const { pool } = await database(t)
  // With what it knows of the table and the function.
  const { body } = event(
    'account.deleted',
    { username: 'alice' },
    { server: 'a', time: new Date() },
  )
  await pool.query('select panel.emit($1, null, null, $2, true)', ['account.deleted', body])
  await number(pool)
  t.strictSame(await numbersOf(pool), [['alice', 1]])
})

t.test('under load everybody gets the same numbers, in the order of each account', async t => {
  t.setTimeout(120_000)
  const panel = await openPanel(t)
  const { pool, call } = panel
  const receiver = await receiverFor(t)
  await courierOn(t, panel.databaseUrl)
  await webhookTo(pool, `${receiver.url}/one`)
  await webhookTo(pool, `${receiver.url}/two`)
  const written = t.testdir()
  for (const name of ['account.suspended', 'account.unsuspended']) {
    const folder = join(panel.root, 'etc/panel/hooks', `${name}.d`)
    const path = `${written}/$PANEL_EVENT_ID`
    install(join(folder, 'keep'), `#!/bin/sh\ncat >${path}.part && mv ${path}.part ${path}\n`)
  }
  await call('PUT', '/api/v1/packages/starter', { body: {} })
  const rounds = 4
  const isOver = new AbortController()
  // Changes that come to nothing, all the while.
  const failing = (async () => {
    while (!isOver.signal.aborted) {
      const client = await pool.connect()
      await client.query('begin')
      await emitted(client, 'account.deleted', { username: 'nobody' })
      await sleep(1)
      await client.query('rollback')
      client.release()
    }
  })()
  const accounts = Array.from({ length: 8 }, (_, index) => `user${index}`)
  await Promise.all(
    accounts.map(async username => {
      const body = { ...alice, username, domain: `${username}.example` }
      t.equal((await call('POST', '/api/v1/accounts', { body })).status, 201)
      for (let round = 0; round < rounds; round++) {
        for (const change of ['suspend', 'unsuspend']) {
          const path = `/api/v1/accounts/${username}/${change}`
          t.equal((await call('POST', path, { body: {} })).status, 200)
        }
      }
      t.equal((await call('DELETE', `/api/v1/accounts/${username}`)).status, 200)
    }),
  )
  isOver.abort()
  await failing
  const each = [
    ...['account.created', 'site.created'],
    ...Array.from({ length: rounds }, () => ['account.suspended', 'account.unsuspended']).flat(),
    ...['site.deleted', 'account.deleted'],
  ]
  const total = accounts.length * each.length
  const cameTo = (path: string) =>
    new Map(
      receiver.received
        .filter(one => one.path === path)
        .map(({ body }) => [Number(JSON.parse(`${body}`).sequence), `${body}`]),
    )
  await until(() => cameTo('/one').size === total && cameTo('/two').size === total)
  const one = cameTo('/one')
  t.strictSame(
    [...one.keys()].sort((a, b) => a - b),
    Array.from({ length: total }, (_, index) => index + 1),
    'without a gap',
  )
  t.strictSame(new Map([...cameTo('/two')].sort()), new Map([...one].sort()))
  const inOrder = [...one]
    .sort(([a], [b]) => a - b)
    .map(([, body]) => JSON.parse(body) as { event: string; data: { username: string } })
  for (const username of accounts) {
    const own = inOrder.filter(({ data }) => data.username === username)
    t.strictSame(
      own.map(({ event }) => event),
      each,
      username,
    )
  }
  const scripted = accounts.length * rounds * 2
  const given = () => readdirSync(written).filter(name => !name.endsWith('.part'))
  await until(() => existsSync(written) && given().length === scripted)
  for (const name of given()) {
    const body = readFileSync(join(written, name), 'utf8')
    if (one.get(JSON.parse(body).sequence) !== body) t.fail(`A script got another body: ${body}`)
  }
})
