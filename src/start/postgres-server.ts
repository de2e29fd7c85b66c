import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AbortError } from 'p-retry'
import { PanelError } from '../errors.ts'
import { openLog } from './log-file.ts'
import { postgresBinaries } from './postgres-binaries.ts'
import type { PostgresPaths } from './postgres-paths.ts'
import { becoming, type UnixUser } from './postgres-user.ts'

// Recovery after a crash reads at most `max_wal_size` of log, 1 GB.
const startTimeoutMs = 120_000
// A stop of the whole panel takes 10 s at most. If the checkpoint is not finished by then, the next
// start recovers instead.
const stopTimeoutMs = 2_000
const pollMs = 5

export type PostgresServer = {
  pid: number
  /** Requests a fast shutdown; in a hurry an immediate one, from which the next start recovers. */
  stop(hurry?: boolean): Promise<void>
  /** Kills a stopped or hung server, with its processes. */
  kill(): void
  /** Resolves with the reason once the server has ended, stopped or not. */
  ended: Promise<string>
}

/** Starts the server of an existing data directory and returns once it takes connections. */
export async function launch(
  paths: PostgresPaths,
  user: UnixUser | undefined,
  durable: boolean,
): Promise<PostgresServer> {
  const { postgres, environment } = await postgresBinaries(paths.librariesDir)
  const settings = Object.entries(serverSettings(paths.socketDir, durable))
  const command = [
    ...(await becoming(user)),
    // When this process is killed, the kernel asks the server for a fast shutdown.
    ...['--pdeathsig', 'INT', '--', postgres, '-D', paths.dataDir],
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const output = openLog(paths.logFile)
  // A separate process group: Ctrl-C reaches only `panel start`, which stops the database last.
  const child = spawn('setpriv', command, {
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  await once(child, 'spawn')
  await untilReady(child, paths)
  return serverOf(child, paths)
}

/** The settings that differ from PostgreSQL's own. */
export function serverSettings(socketDir: string, durable: boolean): Record<string, string> {
  return {
    listen_addresses: '',
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    // Enough for several API and courier processes with full pools.
    max_connections: '300',
    // Statements and rows may contain secrets, which must not get into a log.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  }
}

// Waits for the server's pid file, which says whether it is ready; no connection attempts are
// needed.
async function untilReady(child: ChildProcess, { dataDir, logFile }: PostgresPaths): Promise<void> {
  const end = Date.now() + startTimeoutMs
  while (Date.now() < end) {
    if (isGone(child)) {
      throw new PanelError('unavailable', `PostgreSQL does not start: ${await reason(logFile)}`)
    }
    const lines = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')
    if (lines.startsWith(`${child.pid}\n`) && /\nready\s*$/.test(lines)) return
    await sleep(pollMs)
  }
  child.kill('SIGQUIT')
  throw new AbortError(
    new PanelError('timed_out', `PostgreSQL is not ready after ${startTimeoutMs / 1000} s`),
  )
}

function serverOf(child: ChildProcess, { logFile }: PostgresPaths): PostgresServer {
  const gone = isGone(child) ? Promise.resolve() : once(child, 'exit')
  const kill = () => {
    // They end with their server, unless they are stopped themselves.
    const others = childrenOf(child)
    child.kill('SIGKILL')
    for (const pid of others) endProcess(pid)
  }
  return {
    pid: child.pid ?? 0,
    ended: gone.then(async () => `PostgreSQL ended: ${await reason(logFile)}`),
    kill,
    async stop(hurry = false) {
      child.kill(hurry ? 'SIGQUIT' : 'SIGINT')
      const late = setTimeout(() => child.kill('SIGQUIT'), stopTimeoutMs)
      const tooLate = setTimeout(kill, 2 * stopTimeoutMs)
      await gone
      clearTimeout(late)
      clearTimeout(tooLate)
    },
  }
}

// Each has its own process group.
function childrenOf({ pid }: ChildProcess): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

const isGone = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

async function reason(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n')
  return lines.findLast(line => line.includes('FATAL')) ?? lines.at(-1) ?? ''
}
