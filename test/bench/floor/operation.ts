import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { Logger, runMigrations } from 'graphile-worker'
import pg from 'pg'
import polka from 'polka'

// The floor of a write through the queue, each step as durable as ours: insert and add_job in one
// statement, wait for the notification and answer with its content. A job with a key in this mode
// costs a quarter of one without.

const [connectionString] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 16 })
// The queue library needs both listeners.
pool.on('error', error => process.stderr.write(`${error.message}\n`))
pool.on('connect', client => client.on('error', () => undefined))
await pool.query(`
  create table operations (
    id           uuid        primary key,
    key          text        not null unique,
    account      text        not null,
    desired       text        not null,
    reason       text,
    status       integer,
    body         text,
    created_at   timestamptz not null default now(),
    finished_at  timestamptz
  )`)
const logger = new Logger(() => () => undefined)
await runMigrations({ pgPool: pool, schema: 'queue', logger })

const waiting = new Map<string, (body: string) => void>()
const listener = new pg.Client({ connectionString })
await listener.connect()
await listener.query('listen finished')
listener.on('notification', ({ payload = '' }) => {
  waiting.get(payload.slice(0, 36))?.(payload.slice(36))
})

const begin = `
  with operation as (
    insert into operations (id, key, account, desired, reason) values ($1, $2, $3, $4, $5))
  select queue.add_job(
    'operation',
    json_build_object('id', $1, 'account', $3, 'desired', $4),
    job_key => $2,
    job_key_mode => 'unsafe_dedupe')`

const app = polka()
for (const desired of ['suspend', 'unsuspend']) {
  app.add('POST', `/api/v1/accounts/:username/${desired}`, async (request, response) => {
    const { reason } = JSON.parse(await textOf(request)) as { reason?: string }
    const id = randomUUID()
    const finished = new Promise<string>(resolve => waiting.set(id, resolve))
    const key = request.headers['idempotency-key']
    const values = [id, key, request.params['username'], desired, reason]
    await pool.query({ name: 'begin', text: begin, values })
    const body = await finished
    waiting.delete(id)
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
}

const server = createServer(app.handler)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`${JSON.stringify({ message: 'floor ready', address: server.address() })}\n`)
process.on('SIGTERM', () => process.exit(0))
