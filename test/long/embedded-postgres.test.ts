import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { connection, type Role } from '../../src/db.ts'
import { startPostgres } from '../../src/start/embedded-postgres.ts'
import { postgresBinaries } from '../../src/start/postgres-binaries.ts'
import { postgresPaths } from '../../src/start/postgres-paths.ts'
import { serverSettings } from '../../src/start/postgres-server.ts'
import { becoming, postgresUser } from '../../src/start/postgres-user.ts'
import { eventually, isAlive, scratch } from '../support/scratch.ts'

// Real processes, on a machine that may be busy with other tests.
t.setTimeout(120_000)

// One data directory for all tests, in their order.
const stateDir = scratch(t)
const paths = postgresPaths(stateDir)

const ask = async <T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> => {
  const client = new pg.Client(connection(url, 'panel_owner'))
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

t.test('replaces a data directory whose making was interrupted', async t => {
  mkdirSync(`${paths.dataDir}.new`)
  writeFileSync(`${paths.dataDir}.new/PG_VERSION`, '18\n')
  const server = await startPostgres({ stateDir, durable: false })
  const rows = await ask(
    server.url,
    `select current_user, current_database(), current_setting('server_encoding') as encoding,
       current_setting('data_checksums') as checksums,
       current_setting('listen_addresses') as addresses`,
  )
  t.strictSame(rows, [
    {
      current_user: 'panel_owner',
      current_database: 'panel',
      encoding: 'UTF8',
      checksums: 'on',
      addresses: '',
    },
  ])
  t.notOk(existsSync(`${paths.dataDir}.new`))
  await ask(server.url, 'create schema kept')
  await server.stop()
  t.match(await server.ended, /shut down/)
  t.notOk(isAlive(server.pid))
})

t.test('keeps its data, and waits for the disk when it is not a test', async t => {
  const server = await startPostgres({ stateDir, durable: true })
  const [row] = await ask(
    server.url,
    `select to_regnamespace('kept') is not null as kept, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commit`,
  )
  t.strictSame(row, { kept: true, fsync: 'on', commit: 'on' })
  await server.stop()
})

t.test('lets in only its own user by name of the system', async t => {
  const server = await startPostgres({ stateDir, durable: false })
  t.teardown(() => server.stop())
  const refused = async (role: string, settings: pg.ClientConfig) => {
    const client = new pg.Client({ ...connection(server.url, role as Role, null), ...settings })
    await t.rejects(client.connect(), { code: '28000' }, role)
  }
  await ask(server.url, 'create role visitor login')
  await refused('visitor', {})
  await refused('visitor', { password: 'guessed' })
  t.match(
    readFileSync(join(paths.dataDir, 'pg_hba.conf'), 'utf8'),
    /^local all all peer map=panel$/m,
  )
  t.notMatch(readFileSync(join(paths.dataDir, 'pg_hba.conf'), 'utf8'), /trust|scram|md5|password/)
  t.equal(statSync(paths.dataDir).mode & 0o777, 0o700)
  t.equal(statSync(paths.socketDir).mode & 0o777, 0o700)
})

t.test('ends with the process that started it, and starts again', async t => {
  const script = join(import.meta.dirname, '../support/start/run-postgres.ts')
  const parent = spawn(process.execPath, [script, stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(output)
  t.ok(isAlive(pid))
  parent.kill('SIGKILL')
  const server = await startPostgres({ stateDir, durable: false })
  t.notOk(isAlive(pid))
  t.strictSame(await ask(server.url, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
})

t.test('takes over from a server that was not stopped', async t => {
  const { postgres, environment } = await postgresBinaries(paths.librariesDir)
  const settings = Object.entries(serverSettings(paths.socketDir, false))
  const user = await postgresUser(paths.dataDir)
  const orphan = spawn(
    'setpriv',
    [
      ...(user === undefined ? ['--inh-caps=-all'] : await becoming(user)),
      ...['--', postgres, '-D', paths.dataDir],
      ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { env: environment, detached: true, stdio: 'ignore' },
  )
  await eventually('the orphan is up', () =>
    existsSync(join(paths.socketDir, '.s.PGSQL.5432.lock')),
  )
  const server = await startPostgres({ stateDir, durable: false })
  t.not(server.pid, orphan.pid)
  t.strictSame(await ask(server.url, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
})

t.test('is not held up by a process that got the number of a dead server', async t => {
  writeFileSync(join(paths.dataDir, 'postmaster.pid'), `${process.pid}\n${paths.dataDir}\n`)
  const server = await startPostgres({ stateDir, durable: false })
  t.ok(isAlive(process.pid))
  await server.stop()
})

t.test('survives the loss of its main process', async t => {
  const server = await startPostgres({ stateDir, durable: false })
  process.kill(server.pid, 'SIGKILL')
  t.match(await server.ended, /PostgreSQL ended/)
  const next = await startPostgres({ stateDir, durable: false })
  t.strictSame(await ask(next.url, 'select 1 as one'), [{ one: 1 }])
  await next.stop()
})

t.test('puts the socket elsewhere when the path of the state directory is long', async t => {
  const long = join(scratch(t), 'a-long-name'.repeat(10), 'wíth,"odd" signs')
  mkdirSync(long, { recursive: true, mode: 0o700 })
  const server = await startPostgres({ stateDir: long, durable: false })
  const { shortDir } = postgresPaths(long)
  t.match(server.url, /^postgresql:\/\/%2Ftmp%2Fpanel-[0-9a-f]{16}%2Fsocket:5432\/panel\?/)
  t.strictSame(await ask(server.url, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
  t.notOk(existsSync(shortDir ?? ''))

  // Another user's folder.
  mkdirSync(shortDir ?? '', { mode: 0o755 })
  t.teardown(() => rmdirSync(shortDir ?? ''))
  await t.rejects(startPostgres({ stateDir: long, durable: false }), { code: 'forbidden' })
})
