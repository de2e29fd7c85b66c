import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import { makeRelease, makeRoot, must } from './debian-root.ts'
import { run, type Output } from './machine.ts'

/** A machine in a container that its own systemd has started, with a network of its own. */
export type DebianMachine = {
  /** Runs a program on it. */
  run: (command: string[], input?: string) => Promise<Output>
  /** The same, and fails where it does. */
  must: (...command: string[]) => Promise<string>
  /** Runs a program of this machine in its network. */
  reach: (command: string[], input?: string) => Promise<Output>
  /** The command line that runs a command of this machine in its network. */
  inNetwork: (...command: string[]) => string[]
  /** Starts a program on it; `stop` kills it as nothing else would. */
  start: (command: string[]) => { child: ChildProcess; stop: () => Promise<void> }
  /** Its files, as this machine sees them. */
  root: string
  boot: () => Promise<void>
  /** Asks it to start again, and waits until it has. */
  reboot: () => Promise<void>
  /** Takes its power. */
  cut: () => Promise<void>
}

// As at a login: no more than this.
const environment = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'TERM=dumb']

/** Fresh machines of one Debian, each a copy of its own. */
export async function openDebian(t: Test, suite: string) {
  const scratch = process.env['PANEL_TEST_SCRATCH'] ?? ''
  const folder = mkdtempSync(join(scratch, 'debian-'))
  await must('mount', ['-t', 'tmpfs', '-o', 'size=12g,mode=755', 'panel', folder])
  const lower = join(folder, 'lower')
  const [archive] = await Promise.all([makeRelease(scratch), makeRoot(suite, lower)])
  // The folder in which an administrator unpacks it.
  await must('tar', ['-xf', archive, '-C', join(lower, 'srv')])
  return (name: string) => openMachine(t, join(folder, name), lower)
}

export async function openMachine(t: Test, folder: string, lower: string): Promise<DebianMachine> {
  const [upper, work, root] = ['upper', 'work', 'root'].map(part => join(folder, part))
  for (const path of [upper, work, root]) mkdirSync(path!, { recursive: true })
  const layers = `lowerdir=${lower},upperdir=${upper},workdir=${work}`
  await must('mount', ['-t', 'overlay', 'overlay', '-o', layers, root!])
  const group = `${basename(dirname(folder))}-${basename(folder)}`
  let container: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  const first = () => firstOf(container)
  const enter = (...rest: string[]) => ['nsenter', '-t', String(first()), ...rest]
  const inside = (command: string[]): [string, string[]] => {
    const [program = '', ...args] = enter('-m', '-u', '-i', '-n', '-p', '--', ...environment)
    return [program, [...args, ...command]]
  }
  const machine: DebianMachine = {
    root: root!,
    run: (command, input) => run(...inside(command), input),
    async must(...command) {
      const { code, stdout, stderr } = await machine.run(command)
      if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stdout}${stderr}`)
      return stdout
    },
    inNetwork: (...command) => enter('-n', '--', ...command),
    reach(command, input) {
      const [program = '', ...args] = machine.inNetwork(...command)
      return run(program, args, input)
    },
    start(command) {
      const child = spawn(...inside(command), { stdio: ['pipe', 'pipe', 'pipe'] })
      const ended = once(child, 'close')
      return {
        child,
        async stop() {
          const inner = childOf(child.pid)
          if (inner !== undefined) process.kill(inner, 'SIGKILL')
          await ended
        },
      }
    },
    async boot() {
      const console = openSync(join(folder, 'console'), 'a')
      const command = [cgroup, 'enter', group, 'systemd-nspawn', ...options(root!)]
      container = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], {
        stdio: ['ignore', console, console],
      })
      closeSync(console)
      ended = once(container, 'close')
      await untilUp(machine, first).catch(error => {
        throw new Error(readFileSync(join(folder, 'console'), 'utf8').slice(-2_000), {
          cause: error,
        })
      })
    },
    async reboot() {
      await machine.run(['systemctl', 'reboot'])
      // A systemd-nspawn that runs as a service is started again.
      await ended
      await machine.boot()
    },
    async cut() {
      const pid = first()
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      await ended
      await run(cgroup, ['remove', group])
    },
  }
  t.teardown(machine.cut)
  return machine
}

const cgroup = join(import.meta.dirname, 'cgroup.sh')

const options = (root: string): string[] => [
  ...['--quiet', '--register=no', '--keep-unit', '--private-network', '--console=pipe'],
  ...[`--machine=${root.split('/').at(-2)}`, '--boot', `--directory=${root}`],
]

// systemd-nspawn is what setpriv has become, and its child is the first process of the machine.
const firstOf = (container: ChildProcess | undefined): number | undefined => childOf(container?.pid)

function childOf(pid: number | undefined): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    return Number(child) || undefined
  } catch {
    return undefined
  }
}

async function untilUp(machine: DebianMachine, first: () => number | undefined): Promise<void> {
  const isUp = async () => {
    if (first() === undefined) return false
    const { stdout } = await machine.run(['systemctl', 'is-system-running'])
    return /^(running|degraded)/.test(stdout)
  }
  await until(isUp, 60_000)
}
