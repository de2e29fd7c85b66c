import { join } from 'node:path'
import type { Machine, Services } from './contract.ts'
import { linux } from './linux.ts'
import { sandbox } from './sandbox/sandbox.ts'
import { ensureShared } from './shared.ts'
import { groupCommit } from './tools/group-commit.ts'
import { publish } from './web/nginx.ts'

/** The machine that a panel's settings name: this one, or a sandbox below the panel's state. */
export const machineOf = ({ host, stateDir }: { host: Kind; stateDir: string }): Machine =>
  openMachine({ kind: host, root: host === 'linux' ? '/' : join(stateDir, 'host') })

type Kind = 'linux' | 'sandbox'

/** Opens the machine itself (`root` is `/`) or the sandbox below a folder. */
export function openMachine(options: {
  kind: Kind
  root: string
  /** Around each start of a tool. */
  runTool?: (run: Machine['run']) => Machine['run']
}): Machine {
  const { kind, root, runTool = plain => plain } = options
  const path = (absolutePath: string) => join(root, absolutePath)
  const { openServices, ...parts } = (kind === 'linux' ? linux : sandbox)(path, runTool)
  let services: Services | undefined
  // All who ask at the same time are served at once.
  const shared = groupCommit<true>(async calls => {
    await ensureShared(machine)
    return calls.map(() => undefined)
  })
  const machine: Machine = {
    ...parts,
    path,
    get services() {
      return (services ??= openServices(machine))
    },
    publish: groupCommit(changes => publish(machine, changes)),
    ensureShared: () => shared(true),
  }
  return machine
}
