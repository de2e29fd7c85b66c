import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { logLines } from '../support/log-lines.ts'
import { alice } from '../support/panel.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { emit, install, openHooks } from '../support/hooks/hooks.ts'

const hooks = await openHooks(t)
const { panel, pool, script, ended, scriptsOf } = hooks
const out = scratch(t)
const read = (name: string) => readFileSync(join(out, name), 'utf8')

async function accountId(username: string): Promise<string> {
  const { rows } = await pool.query('select id from panel.accounts where username = $1', [username])
  return rows[0].id
}

t.before(async () => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 5 } })
})

t.test('after a change its events’ scripts run in order, with the exact JSON', async t => {
  const note = (name: string) => `{ echo ${name} $PANEL_EVENT; cat; echo; } >>${out}/created`
  script('account.created', '20-second', note('second'))
  script('account.created', '10-first', note('first'))
  script('site.created', 'only', note('only'))
  const { status } = await panel.call('POST', '/api/v1/accounts', { body: alice })
  t.equal(status, 201)
  await ended()

  const { rows: events } = await pool.query(
    'select id, panel.event_body(e) as body from panel.events e order by id',
  )
  const [account, site] = events.map(({ body }) => body.toString())
  t.match(account, /^\{"event":"account.created","time":\d+,"server":"panel.test","data":\{/)
  t.match(account, /,"sequence":1\}$/)
  t.strictSame(read('created').trim().split('\n'), [
    ...['first account.created', account],
    ...['second account.created', account],
    ...['only site.created', site],
  ])
  const { rows } = await pool.query('select * from panel.script_runs order by started_at')
  t.match(rows[0], {
    event_id: events[0].id,
    name: '10-first',
    path: join(hooks.folderOf('account.created'), '10-first'),
    ...{ outcome: 'succeeded', reason: null, exit_code: 0, signal: null },
    leader: { pid: Number, startedTicks: String, bootId: String },
  })
  t.ok(rows.every(({ duration_ms }) => duration_ms >= 0))
})

t.test('PANEL_EVENT_ID is another for each event', async t => {
  script('backup.completed', 'script', 'echo $PANEL_EVENT_ID')
  const ids = [await emit(pool, 'backup.completed', {}), await emit(pool, 'backup.completed', {})]
  await ended()
  const marks = await Promise.all(
    ids.map(async id => (await scriptsOf(id))[0]!.stdout.toString().trim()),
  )
  const { rows } = await pool.query(
    'select mark from panel.hook_runs where event_id = any ($1) order by event_id',
    [ids],
  )
  t.strictSame(
    marks,
    rows.map(({ mark }) => mark),
  )
  t.not(marks[0], marks[1])
})

t.test('a script that fails or is refused stops no other, and the reason is recorded', async t => {
  const lines = logLines(t)
  const folder = hooks.folderOf('database.created')
  script('database.created', '1-fails', 'echo printed; exit 3')
  script('database.created', '2-unsafe', 'echo printed', 0o777)
  script('database.created', '3-plain', 'echo printed', 0o644)
  script('database.created', '4-runs', 'echo printed')
  const id = await emit(pool, 'database.created', { username: 'alice', database: 'shop' })
  await ended()

  const path = (name: string) => join(folder, name)
  const reason = `${path('2-unsafe')} may be written by others`
  const output = Buffer.from('printed\n')
  const none = Buffer.alloc(0)
  t.strictSame(
    await scriptsOf(id),
    [
      { name: '1-fails', outcome: 'failed', reason: 'It ended with 3', stdout: output },
      { name: '2-unsafe', outcome: 'refused', reason, stdout: none },
      { name: '4-runs', outcome: 'succeeded', reason: null, stdout: output },
    ].map(row => ({ ...row, path: path(row.name) })),
  )
  const event = 'database.created'
  t.match(lines(), [
    { message: 'hook script failed', event, script: '1-fails', reason: 'It ended with 3' },
    { message: 'hook script refused', event, script: '2-unsafe', reason },
  ])
})

t.test('nothing of a folder that others may fill is run', async t => {
  const lines = logLines(t)
  const path = script('database.deleted', 'script', 'true')
  const folder = hooks.folderOf('database.deleted')
  chmodSync(folder, 0o1777)
  const refused = await emit(pool, 'database.deleted', { username: 'alice', database: 'shop' })
  await ended()
  const reason = `${folder} may be written by others`
  t.match(await scriptsOf(refused), [{ name: '.', path: folder, outcome: 'refused', reason }])
  t.match(lines(), [{ message: 'hook script refused', event: 'database.deleted', reason }])
  chmodSync(folder, 0o755)
  const run = await emit(pool, 'database.deleted', { username: 'alice', database: 'shop' })
  await ended()
  t.match(await scriptsOf(run), [{ name: 'script', path, outcome: 'succeeded' }])
})

t.test('a link is checked at its turn, and the checked target runs', async t => {
  const folder = hooks.folderOf('mail.domain_created')
  const link = join(folder, '2-link')
  const good = install(join(out, 'good'), '#!/bin/sh\necho good\n')
  install(join(out, 'evil'), '#!/bin/sh\necho evil\n', 0o777)
  script('mail.domain_created', '1-swaps', `ln -sfn ${out}/evil ${link}`)
  symlinkSync(good, link)
  const id = await emit(pool, 'mail.domain_created', { username: 'alice', domain: 'alice.example' })
  await ended()
  t.match(await scriptsOf(id), [
    { name: '1-swaps', outcome: 'succeeded' },
    { name: '2-link', outcome: 'refused', reason: `${out}/evil may be written by others` },
  ])

  // Swapped after the path was checked and before it runs: the row is written in between.
  rmSync(join(folder, '1-swaps'))
  symlinkSync(good, `${link}.good`)
  renameSync(`${link}.good`, link)
  const writer = await pool.connect()
  await writer.query('begin; lock table panel.script_runs in exclusive mode')
  const second = await emit(pool, 'mail.domain_created', {
    username: 'alice',
    domain: 'alice.example',
  })
  await until(async () => {
    const waiting = await pool.query(
      `select from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and query like '%script_runs%'`,
    )
    return waiting.rowCount === 1
  })
  rmSync(link)
  symlinkSync(join(out, 'evil'), link)
  await writer.query('commit')
  writer.release()
  await ended()
  t.match(await scriptsOf(second), [
    { name: '2-link', path: good, outcome: 'succeeded', stdout: Buffer.from('good\n') },
  ])
})

t.test('a change that is rolled back leaves no run', async t => {
  const client = await pool.connect()
  await client.query('begin')
  const id = await emit(client, 'ssl.issued', {})
  await client.query('rollback')
  client.release()
  t.equal((await pool.query('select from panel.hook_runs where event_id = $1', [id])).rowCount, 0)
  const key = `hook:${id}:1`
  t.equal((await pool.query('select from worker_queue.jobs where key = $1', [key])).rowCount, 0)
})

t.test('an account’s runs take turns, and others’ run at the same time', async t => {
  const lines = logLines(t)
  // Alice's first script waits for Bob's, whose event is later.
  script(
    'mail.mailbox_created',
    'script',
    `read -r body
    case $body in *alice/1*) until test -e ${out}/bob; do sleep 0.02; done ;; esac
    echo "$body" | sed 's/.*mailbox":"\\([^"]*\\).*/\\1/' >>${out}/turns
    case $body in *bob*) touch ${out}/bob ;; esac`,
  )
  const id = await accountId('alice')
  for (const mailbox of ['alice/1', 'alice/2', 'alice/3']) {
    await emit(pool, 'mail.mailbox_created', { username: 'alice', mailbox }, id)
  }
  await until(() => running(1))
  const { rows } = await pool.query(
    `select state from panel.hook_runs where account_id = $1 and state <> 'done' order by event_id`,
    [id],
  )
  t.strictSame(
    rows.map(({ state }) => state),
    ['running', 'blocked', 'blocked'],
  )
  await emit(pool, 'mail.mailbox_created', { username: 'bob', mailbox: 'bob' })
  await ended()
  t.strictSame(read('turns').trim().split('\n'), ['bob', 'alice/1', 'alice/2', 'alice/3'])
  t.strictSame(lines(), [], 'the end of a run starts the next, not the sweeper')
})

t.test('an event for which nothing is installed makes nothing due', async t => {
  const count = async () => (await pool.query('select from panel.hook_runs')).rowCount
  const before = await count()
  const { status } = await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.equal(status, 200)
  t.equal(await count(), before)
  script('account.unsuspended', 'script', 'true')
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  t.equal(await count(), before! + 1)
  await ended()
})

t.test('scripts that hang take no place of an operation', async t => {
  script('ssl.issued', 'hangs', `until test -e ${out}/enough; do sleep 0.02; done`)
  for (let count = 0; count < 12; count++) await emit(pool, 'ssl.issued', {})
  await until(() => running(4))
  const { status } = await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.equal(status, 200)
  const { rows } = await pool.query(
    `select state, count(*)::int from panel.hook_runs r join panel.events e on e.id = r.event_id
     where e.name = 'ssl.issued' group by state order by state`,
  )
  t.strictSame(rows, [
    { state: 'queued', count: 8 },
    { state: 'running', count: 4 },
  ])
  writeFileSync(join(out, 'enough'), '')
  await ended()
})

async function running(count: number): Promise<boolean> {
  const { rowCount } = await pool.query(`select from panel.hook_runs where state = 'running'`)
  return rowCount === count
}

t.test('a run whose job is lost is enqueued again, one blocked by nothing is promoted', async t => {
  script('site.deleted', 'script', `echo >>${out}/swept`)
  const id = await accountId('alice')
  // As if the queue's tables had been emptied by hand.
  const client = await pool.connect()
  await client.query('begin')
  const runs = [await emit(client, 'site.deleted', {}, id), await emit(client, 'site.deleted', {})]
  await client.query(
    `select worker_queue.complete_jobs(array(
       select j.id from worker_queue.jobs j join panel.hook_runs r on r.queue_job_id = j.id
       where r.event_id = any ($1)))`,
    [runs],
  )
  await client.query(`update panel.hook_runs set state = 'blocked' where event_id = $1`, [runs[0]])
  await client.query('commit')
  client.release()
  await ended()
  t.equal(read('swept'), '\n\n')
})

t.test('a row that root must not trust does no harm', async t => {
  const lines = logLines(t)
  script('site.deleted', 'script', 'true')
  const client = await pool.connect()
  await client.query('begin')
  const id = await emit(client, 'site.deleted', {})
  await client.query(
    `insert into panel.script_runs (id, event_id, name, path, leader)
     values (gen_random_uuid(), $1, 'script', '/', '{"pid": 1, "startedTicks": "0"}')`,
    [id],
  )
  await client.query('commit')
  client.release()
  await ended()
  const { rows } = await pool.query('select error from panel.hook_runs where event_id = $1', [id])
  t.match(rows[0].error, /bootId/)
  t.match(lines(), [{ level: 'error', message: 'hook run failed', event: id }])
})

t.test('a run is deleted after 30 days, with its event', async t => {
  const old = await emit(pool, 'database.created', {})
  const late = await emit(pool, 'database.created', {})
  await ended()
  await pool.query(
    `update panel.hook_runs set finished_at = now() - interval '30 days' where event_id = $1`,
    [old],
  )
  await pool.query(
    `update panel.events set created_at = now() - interval '40 days' where id in ($1, $2)`,
    [old, late],
  )
  const count = async () =>
    (await pool.query(`select from panel.hook_runs where state = 'done'`)).rowCount!
  const before = await count()
  await pool.query('select panel.purge(1000)')
  t.equal(await count(), before - 1)
  t.strictSame(await scriptsOf(old), [])
  const { rows } = await pool.query('select id from panel.events where id in ($1, $2)', [old, late])
  t.strictSame(rows, [{ id: late }], 'an old event stays for a run that is younger')
})
