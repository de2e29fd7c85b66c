import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { run } from '../../src/host/tools/run.ts'
import { postgresBinaries } from '../../src/start/postgres-binaries.ts'
import { becoming, postgresUser } from '../../src/start/postgres-user.ts'
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts'
import { inherited } from '../support/processes.ts'
import { until } from '../support/until.ts'

// A PostgreSQL behind a network that can be cut: the panel's processes run in `client`, it in
// `database`, and all packets between them go through `router`. This process is next to the
// network: it reaches PostgreSQL by its socket, and `client` by a link of their own.

const client = { address: '10.90.1.2', here: '10.90.3.1', there: '10.90.3.2' }
const database = { address: '10.90.2.2' }

/** The address at which processes in `client` reach this one. */
export const ownAddress = client.here

/** Makes the three and their links. */
export async function makeNetwork(): Promise<void> {
  const links: [
    from: string,
    name: string,
    address: string,
    to: string,
    name: string,
    address: string,
  ][] = [
    ['client', 'up0', client.address, 'router', 'client0', '10.90.1.1'],
    ['database', 'up0', database.address, 'router', 'database0', '10.90.2.1'],
  ]
  for (const name of ['client', 'router', 'database']) {
    await run('ip', ['netns', 'add', name])
    await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  }
  for (const [from, one, first, to, other, second] of links) {
    await run('ip', ['-n', from, 'link', 'add', one, 'type', 'veth', 'peer', other, 'netns', to])
    for (const [name, link, address] of [
      [from, one, first],
      [to, other, second],
    ] as const) {
      await run('ip', ['-n', name, 'addr', 'add', `${address}/24`, 'dev', link])
      await run('ip', ['-n', name, 'link', 'set', link, 'up'])
    }
    await run('ip', ['-n', from, 'route', 'add', 'default', 'via', second])
  }
  const forward = 'echo 1 >/proc/sys/net/ipv4/ip_forward'
  await run('ip', ['netns', 'exec', 'router', 'sh', '-c', forward])
  await run('ip', ['link', 'add', 'client0', 'type', 'veth', 'peer', 'test0', 'netns', 'client'])
  await run('ip', ['addr', 'add', `${client.here}/24`, 'dev', 'client0'])
  await run('ip', ['link', 'set', 'client0', 'up'])
  await run('ip', ['-n', 'client', 'addr', 'add', `${client.there}/24`, 'dev', 'test0'])
  await run('ip', ['-n', 'client', 'link', 'set', 'test0', 'up'])
}

/** Drops all packets between the panel and PostgreSQL, without a word to either; or no longer. */
export async function setDropped(isDropped: boolean): Promise<void> {
  const verb = isDropped ? 'add' : 'del'
  for (const { address } of [client, database]) {
    await run('ip', ['-n', 'router', 'route', verb, 'blackhole', `${address}/32`])
  }
}

/**
 * Starts a PostgreSQL in `database`, with the templates of the tests; `address` is that of one of
 * its databases over the network.
 */
export async function startPostgres(
  t: Test,
): Promise<Omit<TestPostgres, 'stop'> & { address: (databaseUrl: string) => string }> {
  // The path of a socket is short (unix(7)).
  const folder = mkdtempSync(join(tmpdir(), 'pg-'))
  const { initdb, postgres, environment } = await postgresBinaries(join(folder, 'lib'))
  const user = (await postgresUser(folder))!
  const home = join(folder, 's')
  mkdirSync(home)
  chownSync(folder, user.uid, user.gid)
  chownSync(home, user.uid, user.gid)
  const data = join(home, 'data')
  const as = [...(await becoming(user)), '--']
  const cluster = ['-D', data, '--auth=trust', '-U', 'postgres', '--encoding=UTF8', '--locale=C']
  await finished(
    spawn('setpriv', [...as, initdb, ...cluster], { env: environment, stdio: 'ignore' }),
  )
  appendFileSync(join(data, 'pg_hba.conf'), 'host all all 10.90.0.0/16 trust\n')
  const settings = {
    listen_addresses: database.address,
    unix_socket_directories: home,
    max_connections: '300',
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(
    'ip',
    ['netns', 'exec', 'database', 'setpriv', ...as, postgres, '-D', data, ...given],
    { env: { ...environment, PATH: process.env['PATH'] }, stdio: 'ignore' },
  )
  const ended = once(server, 'close')
  t.teardown(async () => {
    // At once, even with open connections.
    server.kill('SIGQUIT')
    await ended
  })
  process.env['PANEL_TEST_SERVER'] = home
  let made: TestPostgres | undefined
  await until(async () => {
    made = await startTestPostgres(folder).catch(() => undefined)
    return made !== undefined
  }, 60_000)
  return {
    environment: made!.environment,
    address: databaseUrl => {
      const url = new URL(databaseUrl)
      url.hostname = database.address
      url.port = '5432'
      return url.href
    },
  }
}

async function finished(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}`)
}

/** A process in `client` that is started again when it gives up, as its supervisor does. */
export type Kept = {
  child: () => ChildProcess
  /** The output of all of them. */
  output: () => string
  /** The exit codes of those that ended. */
  codes: (number | null)[]
}

export function keepInClient(
  t: Test,
  command: (isFirst: boolean) => string[],
  environment: Record<string, string> = {},
): Kept {
  const codes: (number | null)[] = []
  let [output, isOver] = ['', false]
  let child: ChildProcess
  const start = (isFirst: boolean) => {
    const words = ['netns', 'exec', 'client', process.execPath, ...command(isFirst)]
    child = spawn('ip', words, {
      cwd: join(import.meta.dirname, '../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...inherited, ...environment },
    })
    child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('exit', code => {
      if (isOver) return
      codes.push(code)
      setTimeout(() => isOver || start(false), 200)
    })
  }
  start(true)
  t.teardown(async () => {
    isOver = true
    const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  return { child: () => child, output: () => output, codes }
}
