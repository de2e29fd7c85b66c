import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { PanelError } from '../../errors.ts'
import type { Machine } from '../contract.ts'
import { openClient, type MariaDbClient } from './client.ts'
import type { DatabaseServer } from './database-server.ts'
import { missing } from './linux-mariadb.ts'
import { launch, run, systemPath } from '../tools/run.ts'

// The sandbox's own MariaDB, below its folder, if the program is installed. It starts at the first
// statement and ends with the worker.

const program = '/usr/sbin/mariadbd'
// The kernel's limit for the path of a Unix socket (unix(7)).
const longestSocket = 107
const startMs = 60_000

export function sandboxMariaDb(path: Machine['path']): DatabaseServer {
  const data = path('/var/lib/mysql')
  const socket = path('/run/mysqld/mysqld.sock')
  const user = userInfo().username
  const lack = () => {
    if (!existsSync(program)) return missing
    if (Buffer.byteLength(socket) <= longestSocket) return undefined
    return `${missing}, because the path of its folder is too long`
  }
  const start = () => {
    const found = servers.get(data)
    if (found !== undefined) return found
    const starting = startServer({ data, socket, user })
    servers.set(data, starting)
    starting.catch(() => servers.delete(data))
    return starting
  }
  const query: DatabaseServer['query'] = async statement => {
    const why = lack()
    if (why !== undefined) throw new PanelError('unavailable', why)
    return (await start()).query(statement)
  }
  return {
    lack,
    isUsed: () => lack() === undefined && existsSync(data),
    query,
    closedStart: () => undefined,
    open: () => undefined,
    socket,
    client: async () => {
      await start()
      return { user }
    },
  }
}

// One for each folder, however many workers of this process share it.
const servers = new Map<string, Promise<MariaDbClient>>()

type Place = { data: string; socket: string; user: string }

async function startServer({ data, socket, user }: Place): Promise<MariaDbClient> {
  mkdirSync(path(socket), { recursive: true })
  const client = openClient(socket, user)
  // The worker's server, if a command asks.
  const isUp = async () => (await client.query('SELECT 1')).length > 0
  if (await isUp().catch(() => false)) return client
  if (!existsSync(data)) await makeData(data, user)
  const child = launch([program, ...optionsOf({ data, socket, user })], environment)
  child.stdin.end()
  for (const stream of [child.stdout, child.stderr]) (stream.resume() as Socket).unref()
  let isOver = false
  child.once('exit', () => {
    isOver = true
    servers.delete(data)
  })
  child.once('error', () => (isOver = true))
  // The process waits for the server's start, but not for its end.
  child.unref()
  const deadline = performance.now() + startMs
  for (;;) {
    try {
      await isUp()
      return client
    } catch (error) {
      if (isOver || performance.now() > deadline) throw error
      await sleep(50)
    }
  }
}

const environment = { PATH: systemPath, LANG: 'C.UTF-8' }
const path = (file: string): string => file.slice(0, file.lastIndexOf('/'))

// Made under another name and renamed: if the folder exists, it is complete.
async function makeData(data: string, user: string): Promise<void> {
  const fresh = `${data}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(path(data), { recursive: true })
  await run(
    'mariadb-install-db',
    [
      ...['--no-defaults', `--datadir=${fresh}`, `--user=${user}`, '--skip-test-db'],
      ...['--auth-root-authentication-method=socket', `--auth-root-socket-user=${user}`],
    ],
    { timeoutMs: startMs },
  )
  renameSync(fresh, data)
}

// As small as possible: a sandbox has no customers.
const optionsOf = ({ data, socket, user }: Place): string[] => [
  ...['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, `--user=${user}`],
  ...['--skip-networking', '--skip-name-resolve', '--local-infile=0', '--symbolic-links=0'],
  ...['--innodb-buffer-pool-size=16M', '--innodb-log-file-size=8M', '--key-buffer-size=1M'],
  ...['--aria-pagecache-buffer-size=1M', '--performance-schema=0', '--max-connections=60'],
  ...['--innodb-flush-log-at-trx-commit=0', `--pid-file=${data}/mariadbd.pid`],
]
