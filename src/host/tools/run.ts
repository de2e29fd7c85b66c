import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'

// The only module that starts processes. There is no shell: what a caller names reaches the
// tool as one argument, whatever is in it.

export type RunOptions = {
  /** Text for the standard input; the only way for a secret, since `ps` shows arguments. */
  stdin?: string
  /** The command and all that it started are killed after so many milliseconds. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Run as this user and the group of the same number, without a way back to root. */
  as?: number
  /** Then this group instead. */
  group?: number
  /** Where commands are looked for. */
  path?: string
  /** What it gets beside the path and the language; unlike arguments nobody else may read it. */
  environment?: Record<string, string>
  /** Characters kept of the standard output: more than the tool writes when it works. */
  outputLimit?: number
  /** Told of each whole line of the standard output, as it comes. */
  onLine?: (line: string) => void
  /** Codes besides 0 with which the tool has done what it could. */
  acceptedCodes?: readonly number[]
}

/** A command that failed. What it was given on the standard input is never part of it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly command: string
  /** Undefined when it was killed by a signal or never ran. */
  readonly exitCode: number | undefined
  readonly stderr: string

  constructor(command: string, how: string, exitCode?: number, stderr = '') {
    const said = stderr.trim().split('\n').slice(-5).join('\n')
    super(`${command} ${how}${said === '' ? '' : `: ${said}`}`)
    this.command = command
    this.exitCode = exitCode
    this.stderr = said
  }
}

/** Where commands are looked for on any Debian. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

// Above useradd's own 15 s of waiting for the lock of the user database.
const defaultTimeoutMs = 30_000

// Characters kept of each stream: more than most tools here say when they work.
const defaultOutputLimit = 65_536

/** Runs a command to its end and returns what it wrote to its standard output. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { stdin, timeoutMs = defaultTimeoutMs, signal, path = systemPath } = options
  const { environment = {} } = options
  const { as, group = as, outputLimit = defaultOutputLimit, acceptedCodes = [] } = options
  if (signal?.aborted) throw new CommandError(command, 'was not started: aborted')

  const all = { PATH: path, LANG: 'C.UTF-8', ...environment }
  const child = launch([command, ...args], all, as, group)
  // A command that ends without reading its input is no failure.
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
 * Starts a program, and no shell, as the leader of a session and a process group of its own, so
 * that a kill reaches all that it started. It gets this environment and nothing else.
 */
export function launch(
  command: readonly [string, ...string[]],
  env: Record<string, string>,
  as?: number,
  group = as,
): ChildProcessWithoutNullStreams {
  return spawn('/usr/bin/setpriv', [...privileges(as, group), '--', ...command], {
    cwd: '/',
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
}

export type ApartOptions = {
  args: readonly string[]
  as: number
  /** An open file or socket that the program gets as number 3. */
  descriptor: number
  environment: Record<string, string>
}

/** Starts a program that goes on when this process has ended, and returns its number. */
export function launchApart(program: string, options: ApartOptions): number {
  const { args, as, descriptor, environment } = options
  const child = spawn('/usr/bin/setpriv', [...becoming(as), '--', program, ...args], {
    cwd: '/',
    env: { PATH: systemPath, LANG: 'C.UTF-8', ...environment },
    // As number 0 too: only for the first three Node has reads wait, which holds for all.
    stdio: [descriptor, 'ignore', 'ignore', descriptor],
    // A session of its own: what ends this process's group does not reach it.
    detached: true,
  })
  if (child.pid === undefined) throw new CommandError(program, 'did not start')
  child.on('error', () => {})
  child.unref()
  return child.pid
}

const becoming = (user: number, group = user): string[] => [
  `--reuid=${user}`,
  `--regid=${group}`,
  '--clear-groups',
  '--no-new-privs',
]

// None of these outlives the one that started it, even if that is killed without a chance to clean
// up.
function privileges(as: number | undefined, group: number | undefined): string[] {
  return [...(as === undefined ? [] : becoming(as, group)), '--pdeathsig', 'KILL']
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group ended by itself meanwhile.
  }
  // A process that left the group may hold these open for ever.
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
  // The end of a complaint says more than its beginning.
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
