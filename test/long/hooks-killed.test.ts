import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { EventName } from '../../src/model/events/events.ts'
import { startProcess, untilStarted } from '../support/processes.ts'
import { isAlive, scratch } from '../support/scratch.ts'
import { emit, openHooks } from '../support/hooks/hooks.ts'

// Workers are killed at each point of an event's scripts, each at another event; each next one
// first ends what the one before it left.

const { panel, pool, script, ended, scriptsOf } = await openHooks(t, { hasWorker: false })
const out = scratch(t)

// Hangs while its first worker lives.
const hanging = join(out, 'hanging')
const once = (first: string) => `test ! -e ${hanging} || { ${first}; }`
const points: { event: EventName; point: string; b?: string; isInterrupted: boolean }[] = [
  { event: 'account.created', point: 'b is about to start', isInterrupted: true },
  {
    ...{ event: 'account.deleted', point: 'b has started', isInterrupted: true },
    b: once('sleep 300 & wait'),
  },
  {
    ...{ event: 'account.suspended', point: 'b is at work', isInterrupted: true },
    // Its parent is its worker.
    b: once('sleep 300 & kill -KILL $PPID; wait'),
  },
  { event: 'account.unsuspended', point: 'b has ended', isInterrupted: true },
  { event: 'site.created', point: 'b is recorded', isInterrupted: false },
  { event: 'site.deleted', point: 'all are recorded', isInterrupted: false },
]

const ids = new Map<EventName, string>()
for (const { event, b = '' } of points) {
  script(event, 'a', `echo a >>${out}/${event}`)
  script(event, 'b', `echo b >>${out}/${event}\n${b}`)
  script(event, 'c', `echo c >>${out}/${event}`)
}
// It has killed its worker five times already.
script('backup.completed', 'a', 'kill -KILL $PPID; sleep 30')
script('backup.completed', 'b', 'true')
points.push({ event: 'backup.completed', point: 'its script says so', isInterrupted: true })

const start = (event: string, point: string) =>
  startProcess(
    t,
    'test/support/hooks/worker.ts',
    [panel.databaseUrl, panel.root, event, point],
    untilStarted,
  )

let successor: Awaited<ReturnType<typeof panel.startWorker>>
t.before(async () => {
  for (const { event, point } of points) {
    const killed = await start(event, point)
    await ended()
    writeFileSync(hanging, '')
    ids.set(event, await emitInterrupted(event))
    await killed.exited
    rmSync(hanging)
  }
  successor = await panel.startWorker()
  await ended()
})

async function emitInterrupted(event: EventName): Promise<string> {
  const client = await pool.connect()
  await client.query('begin')
  const id = await emit(client, event, {})
  if (event === 'backup.completed') {
    await client.query(
      `insert into panel.script_runs (id, event_id, name, path, outcome)
       select gen_random_uuid(), $1, 'a', '/', 'interrupted' from generate_series(1, 5)`,
      [id],
    )
  }
  await client.query('commit')
  client.release()
  return id
}

for (const { event, point, isInterrupted } of points.slice(0, -1)) {
  t.test(`a worker killed when ${point} is succeeded`, async t => {
    const runs = await scriptsOf(ids.get(event)!)
    const b = isInterrupted ? ['b interrupted', 'b succeeded'] : ['b succeeded']
    t.strictSame(
      runs.map(({ name, outcome }) => `${name} ${outcome}`),
      ['a succeeded', ...b, 'c succeeded'],
    )
    const written = readFileSync(join(out, event), 'utf8')
    // A worker that was killed early may have written nothing.
    t.match(written, isInterrupted ? /^a\nb\n(b\n)?c\n$/ : /^a\nb\nc\n$/)
    const left = await leftOf(ids.get(event)!)
    t.strictSame(left, [], 'nothing of the interrupted run is left')
    for (const pid of left) process.kill(Number(pid), 'SIGKILL')
  })
}

t.test('a script that ends its worker each time is left out', async t => {
  const runs = await scriptsOf(ids.get('backup.completed')!)
  t.equal(runs.filter(({ outcome }) => outcome === 'interrupted').length, 6)
  t.match(runs.slice(-2), [
    { name: 'a', outcome: 'refused', reason: 'The worker ended while it ran, 6 times' },
    { name: 'b', outcome: 'succeeded' },
  ])
})

t.test('workers killed at any moment lose no run, and keep the order of each account', async t => {
  await successor.stop()
  script('database.created', 'script', 'sleep 0.02')
  const events: { id: string; account: string }[] = []
  for (let count = 0; count < 60; count++) {
    const account = String(1 + (count % 3))
    events.push({ account, id: await emit(pool, 'database.created', {}, account) })
  }
  for (let life = 0; life < 2; life++) {
    const killed = await start('', '')
    await sleep(100 + 100 * life)
    await killed.kill()
  }
  await panel.startWorker()
  await ended()
  const { rows } = await pool.query<{ event_id: string; account_id: string }>(
    `select s.event_id, r.account_id
     from panel.script_runs s join panel.hook_runs r using (event_id)
     where r.account_id is not null and s.outcome = 'succeeded' order by s.started_at`,
  )
  for (const account of ['1', '2', '3']) {
    t.strictSame(
      rows.filter(row => row.account_id === account).map(row => row.event_id),
      events.filter(event => event.account === account).map(event => event.id),
    )
  }
})

/** The remaining processes of an event's scripts. */
async function leftOf(eventId: string): Promise<string[]> {
  const { rows } = await pool.query<{ mark: string }>(
    'select mark from panel.hook_runs where event_id = $1',
    [eventId],
  )
  const started = `PANEL_EVENT_ID=${rows[0]!.mark}\0`
  return readdirSync('/proc').filter(
    name => /^\d+$/.test(name) && environmentOf(name).includes(started) && isAlive(Number(name)),
  )
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return '' // It ended meanwhile.
  }
}
