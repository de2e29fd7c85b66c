import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { startProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'

// A start counts when the operation may have ended its worker, and not when the connection was
// lost: where the process has lived on, or its session stood still until the next worker came.

const panel = await openPanel(t, { hasWorker: false })
const { call, pool, databaseUrl, root } = panel
const file = join(root, '..', 'lost-starts.json')
await call('PUT', '/api/v1/packages/starter', { body: {} })

const soleWorker = (
  t: Test,
  held: string[] = [],
  ready = /started/,
  onOutput: (text: string) => void = () => undefined,
) => {
  const args = [databaseUrl, root, file, ...held]
  return startProcess(t, 'test/support/programs/sole-worker.ts', args, { ready, onOutput })
}
const startsOf = async (key: string) => {
  const { rows } = await pool.query<{ starts: number; epoch: number; earlier_starts: unknown }>(
    'select starts, epoch, earlier_starts from panel.operations where key = $1',
    [key],
  )
  return rows[0]!
}
/** One more interrupted start, and it would be undone. */
const almostUndone = (key: string) =>
  pool.query('update panel.operations set starts = 6 where key = $1', [key])

const first = await soleWorker(t)
await call('POST', '/api/v1/accounts', { body: alice })
await first.kill()

t.test(
  'a session that stands still is ended by the next worker, and its start not counted',
  async t => {
    const stopped = await startBlocked(t, 'silent')
    await almostUndone('silent')
    stopped.child.kill('SIGSTOP')
    const begunAt = performance.now()
    const next = await soleWorker(t)
    // As long as its heartbeats may be late, and the start of a process.
    t.ok(performance.now() - begunAt < 15_000)
    t.match(await stopped.answer, { status: 200, body: { state: 'suspended' } })
    t.match(await startsOf('silent'), { starts: 6 })
    stopped.child.kill('SIGCONT')
    await stopped.exited
    t.equal(stopped.child.exitCode, 75)
    await next.kill()
  },
)

t.test('a process that lives on writes down what it has lost', async t => {
  const held = await startBlocked(t, 'alive')
  await almostUndone('alive')
  const { epoch } = await startsOf('alive')
  // As a restart of PostgreSQL does.
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where usename = 'panel_worker' and datname = current_database()`,
  )
  await held.exited
  t.equal(held.child.exitCode, 75)
  t.match(JSON.parse(readFileSync(file, 'utf8')), [{ id: /^[0-9a-f-]{36}$/, epoch }])
  const next = await soleWorker(t)
  t.match(await held.answer, { status: 200 })
  t.match(await startsOf('alive'), { starts: 6, epoch: epoch + 2 })
  t.notOk(existsSync(file))
  await next.kill()
})

t.test('a start whose process was killed counts, and the seventh is undone', async t => {
  const held = await startBlocked(t, 'killed')
  await held.kill()
  const next = await startBlocked(t, 'killed', held.answer)
  t.match(await startsOf('killed'), { starts: 2, earlier_starts: [{ error: 'Interrupted' }] })
  await almostUndone('killed')
  await next.kill()
  const last = await soleWorker(t)
  t.equal((await held.answer).status, 500)
  await last.kill()
})

t.test('a lost start that is recorded twice, or wrongly, is subtracted once at most', async t => {
  const held = await startBlocked(t, 'twice')
  const { rows } = await pool.query<{ id: string; epoch: number }>(
    `select id, epoch from panel.operations where key = 'twice'`,
  )
  const { id, epoch } = rows[0]!
  await held.kill()
  const contents = [
    JSON.stringify([{ id, epoch: epoch - 1 }]),
    JSON.stringify([{ id, epoch: '1; drop table panel.operations' }]),
    JSON.stringify({ id, epoch }),
    'x',
    '',
  ]
  for (const content of contents) {
    writeFileSync(file, content)
    const worker = await startBlocked(t, 'twice', held.answer)
    t.notOk(existsSync(file), content)
    await worker.kill()
  }
  t.equal((await startsOf('twice')).starts, 1 + contents.length)
  const { epoch: now } = await startsOf('twice')
  for (const lost of [now, now]) {
    await pool.query('select panel.forgive_starts($1, $2)', [[id], [lost]])
  }
  t.equal((await startsOf('twice')).starts, contents.length)
  await pool.query(`update panel.operations set starts = 0 where key = 'twice'`)
  await pool.query('select panel.forgive_starts($1, $2)', [[id], [(await startsOf('twice')).epoch]])
  t.equal((await startsOf('twice')).starts, 0)
  writeFileSync(file, JSON.stringify([{ id, epoch: 0 }]))
  await pool.query(`update panel.operations set starts = 6 where key = 'twice'`)
  const last = await soleWorker(t)
  t.equal((await held.answer).status, 200, 'whose answer was lost is taken back too')
  t.equal((await startsOf('twice')).starts, 6)
  await last.kill()
})

t.test('a second worker waits as long as the first one lives', async t => {
  const living = await soleWorker(t)
  const waiting = await soleWorker(t, [], /waits for another worker/)
  t.equal((await call('GET', '/api/v1/accounts/alice')).status, 200)
  t.equal(living.child.exitCode, null)
  await toggle('living')
  await living.kill()
  await toggle('after it')
  t.equal(waiting.child.exitCode, null)
  await waiting.kill()
})

t.test('a session of another process than the worker is kept', async t => {
  const { rows } = await pool.query('select current_database() as name')
  const url = new URL(databaseUrl)
  url.pathname = `/${rows[0].name}`
  const { connect, connection } = await import('../../src/db.ts')
  const others = [
    await connect({ ...connection(url.href, 'panel_worker'), application_name: 'psql' }),
    await connect(connection(url.href, 'panel_courier')),
    await connect(connection(url.href, 'panel_owner')),
  ]
  const old = await connect(connection(url.href, 'panel_worker'))
  const worker = await soleWorker(t)
  await t.rejects(old.query('select'))
  for (const each of others) {
    await t.resolves(each.query('select'))
    await each.end()
  }
  await worker.kill()
})

let isSuspended = true
async function toggle(key: string) {
  const verb = isSuspended ? 'unsuspend' : 'suspend'
  t.equal((await call('POST', `/api/v1/accounts/alice/${verb}`, { key })).status, 200)
  isSuspended = !isSuspended
}

/** A worker that is held in a suspend or unsuspend; the first one under a key also asks for it. */
async function startBlocked(t: Test, key: string, asked?: ReturnType<typeof call>) {
  const { rows } = await pool.query(`select state from panel.accounts where username = 'alice'`)
  const [verb, step] = rows[0].state === 'active' ? ['suspend', 'lock'] : ['unsuspend', 'unlock']
  let output = ''
  const worker = await soleWorker(t, [`before ${step}`], /started/, text => (output += text))
  const answer = asked ?? call('POST', `/api/v1/accounts/alice/${verb}`, { key })
  await until(async () => output.includes(`at before ${step}`))
  return { ...worker, answer }
}
