import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChildLog } from './child-log.ts'
import { keepRunning } from './keep-running.ts'
import { watchOver } from './watchdog.ts'

export type ServiceOptions = {
  name: string
  /** The program and its arguments. */
  command: [string, ...string[]]
  environment: NodeJS.ProcessEnv
  logFile: string
  /** Milliseconds without a sign of life (src/process.ts) before it is killed and started again. */
  silentMs?: number
  /** Reports one sentence to the terminal. */
  report: (sentence: string) => void
}

export type Service = {
  /** Asks it to stop, and kills it after this time. */
  stop(timeoutMs: number): Promise<void>
  kill(): void
}

// Longer than a turn of any event loop, on a machine that swaps or is out of CPU; a caller that
// waits up to a minute gets its answer from the next process.
export const defaultSilentMs = 30_000
// The last output of an ended process is in the pipe already.
const drainMs = 200

/**
 * Keeps a process running until it is stopped: one that ends is started again, and one that no
 * longer responds is killed. The process never outlives its parent.
 */
export function supervise(options: ServiceOptions): Service {
  const { name, logFile, report, silentMs = defaultSilentMs } = options
  const stopping = new AbortController()
  const output = new ChildLog(logFile, sentence => report(`${name}: ${sentence}`))
  let child: ChildProcess | undefined

  const run = async () => {
    const started = (child = start(options, silentMs))
    let silence = ''
    watchOver(started, silentMs, () => {
      silence = `did not respond for ${silentMs / 1_000} s and `
      killGroup(started)
    })
    const reason = await ending(started, output)
    return silence + reason
  }
  const ended = (reason: string) => report(`${name}: ${reason}; starting it again (see ${logFile})`)
  const stopped = keepRunning(run, stopping.signal, ended).finally(() => output.close())

  return {
    async stop(timeoutMs) {
      stopping.abort()
      child?.kill('SIGTERM')
      const late = setTimeout(() => killGroup(child), timeoutMs)
      await stopped
      clearTimeout(late)
    },
    kill() {
      stopping.abort()
      killGroup(child)
    },
  }
}

// A separate process group: Ctrl-C reaches only the parent, which stops its children in order.
function start({ command, environment }: ServiceOptions, silentMs: number): ChildProcess {
  return spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], {
    env: { ...environment, WATCHDOG_USEC: `${silentMs * 1_000}` },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

async function ending(child: ChildProcess, output: ChildLog): Promise<string> {
  output.follow(child)
  const closed = new Promise(resolve => child.once('close', resolve))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  // A grandchild that keeps the output open must not keep the service down.
  await Promise.race([closed, sleep(drainMs)])
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
}

function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, 'SIGKILL')
}
