import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../src/migrate.ts'
import { event } from '../../src/model/events/events.ts'
import { addWebhook, secretsKey } from '../../src/model/events/webhooks.ts'
import { as, makeDatabase } from './panel.ts'
import { start, type Program } from './processes.ts'
import type { Bench } from './row.ts'

// The rows of webhooks share a panel that runs only the courier, and a receiver.

const serverKey = randomBytes(32)

/** The event whose bytes both sides send. */
export const { name, body } = event(
  'account.suspended',
  { username: 'bench1', reason: 'Invoice 4711 is overdue' },
  { server: 'panel.example', time: new Date() },
)

export type Couriers = AsyncDisposable & {
  db: pg.Pool
  receiver: Program
  startCourier: () => Promise<Program>
}

export async function openCouriers(bench: Bench, database: string): Promise<Couriers> {
  const url = await makeDatabase(bench, database)
  await migrate(url)
  const stateDir = join(bench.scratch, database)
  await mkdir(stateDir)
  await writeFile(join(stateDir, 'key'), serverKey, { mode: 0o600 })
  const db = new pg.Pool({ connectionString: as('postgres', url), max: 2 })
  const receiver = await start('test/bench/load/receiver.ts', {})
  const env = {
    DATABASE_URL: url,
    PANEL_STATE_DIR: stateDir,
    PANEL_WEBHOOK_ALLOW: '127.0.0.0/8',
    UV_THREADPOOL_SIZE: '64',
  }
  return {
    db,
    receiver,
    startCourier: () => start('bin/panel-courier.ts', { env }),
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]()
      await db.end()
    },
  }
}

/** Adds so many webhooks to a path of the receiver. */
export async function addWebhooks(
  { db, receiver }: Couriers,
  count: number,
  path: string,
): Promise<void> {
  const url = `http://127.0.0.1:${receiver.port}${path}`
  const secret = randomBytes(32).toString('hex')
  for (let added = 0; added < count; added++) {
    await addWebhook(db, { url, events: [], secret }, secretsKey(serverKey))
  }
}

/** Deletes all that was sent before. */
export async function forget({ db }: Couriers): Promise<void> {
  await db.query('truncate panel.deliveries, panel.attempts, panel.events cascade')
  await db.query('truncate courier_queue._private_jobs')
}

export type Loop = AsyncDisposable & { run: () => Promise<number> }

/** The floor: a loop that sends as many, and reports how many milliseconds that took. */
export async function startLoop(port: number, count: number): Promise<Loop> {
  const child = fork(
    join(import.meta.dirname, 'floor/post.ts'),
    [String(port), String(count), String(body)],
    { env: {} },
  )
  await once(child, 'message')
  return {
    async run() {
      child.send('run')
      const [{ durationMs }] = (await once(child, 'message')) as [{ durationMs: number }]
      return durationMs
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
