import { Logger, run } from 'graphile-worker'
import pg from 'pg'

// The worker of the floor. Its task changes only the row of the operation, in the statement that
// also wakes the caller. It runs as many jobs at a time as ours.

const concurrentJobs = 16

const [connectionString] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: concurrentJobs })
// As in ours, fetched and deleted jobs don't wait for the disk; only the operation does.
const queuePool = new pg.Pool({
  connectionString,
  max: 6,
  options: '-c synchronous_commit=off',
})
queuePool.on('error', error => process.stderr.write(`${error.message}\n`))
queuePool.on('connect', client => client.on('error', () => undefined))

const finish = `
  with operation as (
    update operations set status = 200, body = $2, finished_at = now() where id = $1)
  select pg_notify('finished', $1 || $2)`

type Payload = { id: string; account: string; desired: string }

async function operation(payload: unknown): Promise<void> {
  const { id, account, desired } = payload as Payload
  await pool.query({ name: 'finish', text: finish, values: [id, answer(account, desired)] })
}

// As long as ours.
const answer = (username: string, desired: string): string =>
  JSON.stringify({
    username,
    email: `${username}@example.com`,
    package: 'starter',
    state: desired === 'suspend' ? 'suspended' : 'active',
    domain: `${username}.example`,
    sites: [{ domain: `${username}.example`, ssl: 'none' }],
    suspend_reason: 'Invoice 4711 is overdue',
    warnings: [],
    created_at: new Date(),
    suspended_at: new Date(),
  })

await run({
  pgPool: queuePool,
  taskList: { operation },
  logger: new Logger(() => () => undefined),
  noHandleSignals: true,
  preset: {
    worker: {
      schema: 'queue',
      concurrentJobs,
      pollInterval: 1_000,
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      localQueue: { size: -1 },
    },
  },
})
process.stdout.write(`${JSON.stringify({ message: 'floor worker ready' })}\n`)
process.on('SIGTERM', () => process.exit(0))
