import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { groupCommit, type Commit } from './tools/group-commit.ts'
import { linuxUsers } from './accounts/linux-users.ts'
import { publish, type VhostChange } from './web/nginx.ts'
import { run, type RunOptions } from './tools/run.ts'
import { sandboxUsers } from './accounts/sandbox-users.ts'
import { openServices, type Services } from './services/services.ts'
import { ensureShared } from './shared.ts'
import type { Users } from './accounts/users.ts'

/** What every step gets: the real machine, or a folder that looks like one. */
export type Machine = {
  readonly kind: 'linux' | 'sandbox'
  /** Whether files have to survive a power cut: nobody is served from the sandbox's. */
  readonly isDurable: boolean
  /** Where an absolute path of the machine is for this process. */
  path(absolutePath: string): string
  /** Runs one of the machine's tools; the sandbox has only those that were put into it. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<string>
  readonly users: Users
  readonly services: Services
  /** Changes files of websites; callers share the test and the reload, and hear what it can't. */
  readonly publish: Commit<VhostChange>
  /** Puts right what all accounts share. */
  ensureShared(): Promise<unknown>
}

/** Opens the machine itself (`root` is `/`) or the sandbox below a folder. */
export function openMachine(options: {
  kind: Machine['kind']
  root: string
  /** Around each start of a tool. */
  runTool?: (run: Machine['run']) => Machine['run']
}): Machine {
  const { kind, root, runTool = plain => plain } = options
  const path = (absolutePath: string) => join(root, absolutePath)
  const runHere = runTool(kind === 'linux' ? run : standIns(path('/usr/local/sbin')))
  let services: Services | undefined
  // All who ask at the same time are served at once.
  const shared = groupCommit<undefined>(async calls => {
    await ensureShared(machine)
    return calls.map(() => undefined)
  })
  const machine: Machine = {
    kind,
    isDurable: kind === 'linux',
    path,
    run: runHere,
    users: kind === 'linux' ? linuxUsers(runHere) : sandboxUsers(path),
    get services() {
      return (services ??= openServices(machine))
    },
    publish: groupCommit(changes => publish(machine, changes)),
    ensureShared: () => shared(undefined),
  }
  return machine
}

// No tool of the machine is ever run for the sandbox. A command of the same name in its own
// folder stands in for it; where there is none, the step is taken as done.
const standIns =
  (folder: string): Machine['run'] =>
  async (command, args, { as: _, ...options } = {}) => {
    if (!existsSync(join(folder, command))) return ''
    return run(command, args, { ...options, path: `${folder}:/usr/bin:/bin` })
  }
