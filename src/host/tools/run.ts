import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'

// The only module that starts processes. There is no shell: each argument reaches the tool
// unchanged, whatever it contains.

export type RunOptions = {
  /** Text for the standard input; the only way to pass a secret, since `ps` shows arguments. */
  stdin?: string
  /** The command and everything it started are killed after this time. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Runs as this user and the group of the same number, without a way back to root. */
  as?: number
  /** The group, if it differs. */
  group?: number
  /** The folder that it starts in, even if its user may not enter it; `/` if left out. */
  cwd?: string
  /** The folders in which commands are looked up. */
  path?: string
  /**
   * Variables besides the path and the language; unlike arguments, other users cannot read them.
   */
  environment?: Record<string, string>
  /** Characters of the standard output to keep: more than the tool writes when it works. */
  outputLimit?: number
  /** Called with each whole line of the standard output, as it arrives. */
  onLine?: (line: string) => void
  /** Exit codes besides 0 with which the tool has done what it could. */
  acceptedCodes?: readonly number[]
}

/** A command that failed. It never contains the standard input. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly command: string
  /** Undefined if the command was killed by a signal or never ran. */
  readonly exitCode: number | undefined
  readonly stderr: string

  constructor(command: string, how: string, exitCode?: number, stderr = '') {
    const lastLines = stderr.trim().split('\n').slice(-5).join('\n')
    super(`${command} ${how}${lastLines === '' ? '' : `: ${lastLines}`}`)
    this.command = command
    this.exitCode = exitCode
    this.stderr = lastLines
  }
}

/** The folders with commands on any Debian. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

// Above useradd's own 15 s of waiting for the lock of the user database.
const defaultTimeoutMs = 30_000

// Characters kept of each stream: more than most tools here write when they work.
const defaultOutputLimit = 65_536

/** Runs a command to its end and returns its standard output. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { stdin, timeoutMs = defaultTimeoutMs, signal, path = systemPath } = options
  const { environment = {} } = options
  const { as, group = as, outputLimit = defaultOutputLimit, acceptedCodes = [] } = options
  const { cwd = '/' } = options
  if (signal?.aborted) throw new CommandError(command, 'was not started: aborted')

  const all = { PATH: path, LANG: 'C.UTF-8', ...environment }
  const child = launch([command, ...args], all, as, group, undefined, cwd)
  // A command that ends without reading its input has not failed.
  child.stdin.on('error', () => {})
  child.stdin.end(stdin ?? '')

  let why: string | undefined
  const stop = (reason: string) => {
    why = reason
    killGroup(child)
  }
  const timer = setTimeout(() => stop(`did not end within ${timeoutMs} ms`), timeoutMs)
  const onAbort = () => stop('was aborted')
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const { onLine } = options
    if (onLine !== undefined) createInterface({ input: child.stdout }).on('line', onLine)
    const { exitCode, stdout, stderr } = await finished(child, command, outputLimit)
    if (why !== undefined) throw new CommandError(command, why, undefined, stderr)
    if (exitCode === null) throw new CommandError(command, 'was killed', undefined, stderr)
    if (exitCode !== 0 && !acceptedCodes.includes(exitCode)) {
      throw new CommandError(command, `ended with ${exitCode}`, exitCode, stderr)
    }
    return stdout
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

export type { ChildProcessWithoutNullStreams as Launched }

/**
 * Starts a program, without a shell, as the leader of its own session and process group, so that a
 * kill reaches everything that it started. It gets only this environment, and no group but these.
 */
export function launch(
  command: readonly [string, ...string[]],
  env: Record<string, string>,
  as?: number,
  group = as,
  further?: number,
  cwd = '/',
): ChildProcessWithoutNullStreams {
  return spawn('/usr/bin/setpriv', [...privileges(as, group, further), '--', ...command], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
}

export type ApartOptions = {
  args: readonly string[]
  as: number
  /** An open file or socket that the program gets as descriptor 3. */
  descriptor: number
  environment: Record<string, string>
}

/** Starts a program that outlives this process, and returns its id. */
export function launchApart(program: string, options: ApartOptions): number {
  const { args, as, descriptor, environment } = options
  const child = spawn('/usr/bin/setpriv', [...becoming(as), '--', program, ...args], {
    cwd: '/',
    env: { PATH: systemPath, LANG: 'C.UTF-8', ...environment },
    // As descriptor 0 too: only for the first three does Node set blocking mode, which holds for
    // all.
    stdio: [descriptor, 'ignore', 'ignore', descriptor],
    // In a session of its own, so that signals to this process's group do not reach it.
    detached: true,
  })
  if (child.pid === undefined) throw new CommandError(program, 'did not start')
  child.on('error', () => {})
  child.unref()
  return child.pid
}

const becoming = (user: number, group = user, further?: number): string[] => [
  `--reuid=${user}`,
  `--regid=${group}`,
  further === undefined ? '--clear-groups' : `--groups=${further}`,
  '--no-new-privs',
]

// None of these outlives the process that started it, even if that is killed without cleaning up.
function privileges(as?: number, group?: number, further?: number): string[] {
  return [...(as === undefined ? [] : becoming(as, group, further)), '--pdeathsig', 'KILL']
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group ended by itself meanwhile.
  }
  // A process that left the group may keep these open for ever.
  child.stdout?.destroy()
  child.stderr?.destroy()
}

type Ended = { exitCode: number | null; stdout: string; stderr: string }

function finished(child: ChildProcess, command: string, outputLimit: number): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(0, outputLimit)
  })
  // The end of an error message says more than its beginning.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-defaultOutputLimit)
  })
  return new Promise((resolve, reject) => {
    child.once('error', error =>
      reject(new CommandError(command, `did not start: ${error.message}`)),
    )
    child.once('close', exitCode => resolve({ exitCode, stdout, stderr }))
  })
}
