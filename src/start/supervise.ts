import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChildLog } from './child-log.ts'
import { keepRunning } from './keep-running.ts'

export type ServiceOptions = {
  name: string
  /** The program and its arguments. */
  command: [string, ...string[]]
  environment: NodeJS.ProcessEnv
  logFile: string
  /** Reports one sentence to the terminal. */
  tell: (sentence: string) => void
}

export type Service = {
  /** Asks it to stop, and kills it after this time. */
  stop(patienceMs: number): Promise<void>
  kill(): void
}

// The last output of a process that has ended is in the pipe already.
const drainMs = 200

/** Keeps a process running until it is stopped. The process never outlives its parent. */
export function supervise(options: ServiceOptions): Service {
  const { name, logFile, tell } = options
  const stopping = new AbortController()
  const output = new ChildLog(logFile, sentence => tell(`${name}: ${sentence}`))
  let child: ChildProcess | undefined

  const run = async () => {
    child = start(options)
    return await ending(child, output)
  }
  const ended = (reason: string) => tell(`${name}: ${reason}; starting it again (see ${logFile})`)
  const stopped = keepRunning(run, stopping.signal, ended).finally(() => output.close())

  return {
    async stop(patienceMs) {
      stopping.abort()
      child?.kill('SIGTERM')
      const late = setTimeout(() => killGroup(child), patienceMs)
      await stopped
      clearTimeout(late)
    },
    kill() {
      stopping.abort()
      killGroup(child)
    },
  }
}

// A process group of its own: Ctrl-C reaches only the parent, which stops its children in order.
function start({ command, environment }: ServiceOptions): ChildProcess {
  return spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], {
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function ending(child: ChildProcess, output: ChildLog): Promise<string> {
  output.follow(child)
  const closed = new Promise(resolve => child.once('close', resolve))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  // A grandchild that holds the output must not keep the service down.
  await Promise.race([closed, sleep(drainMs)])
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
}

function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, 'SIGKILL')
}
