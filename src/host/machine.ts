import { join } from 'node:path'
import type { Machine, MachinePart, Services } from './contract.ts'
import { linux } from './linux.ts'
import { sandbox } from './sandbox/sandbox.ts'
import { ensureShared } from './shared.ts'
import { syncFolder, syncJournal } from './tools/files.ts'
import { asError, groupCommit, type Outcome } from './tools/group-commit.ts'

/** Returns the machine of a panel's settings: this one, or a sandbox below the panel's state. */
export const machineOf = ({ host, stateDir }: { host: Kind; stateDir: string }): Machine =>
  openMachine({ kind: host, root: host === 'linux' ? '/' : join(stateDir, 'host') })

type Kind = 'linux' | 'sandbox'

/** Opens this machine (`root` is `/`) or the sandbox below a folder. */
export function openMachine(options: {
  kind: Kind
  root: string
  /** Wraps each start of a tool. */
  runTool?: (run: Machine['run']) => Machine['run']
}): Machine {
  const { kind, root, runTool = plain => plain } = options
  const path = (absolutePath: string) => join(root, absolutePath)
  const { openServices, isDurable, ...parts } = (kind === 'linux' ? linux : sandbox)(path, runTool)
  let services: Services | undefined
  const resourceParts = new Map<MachinePart<unknown>, unknown>()
  // Serves concurrent callers together.
  const shared = groupCommit<true>(async calls => {
    await ensureShared(machine)
    return calls.map(() => undefined)
  })
  // One wait for the disk covers all folders renamed into before it.
  const synced = groupCommit<string>(async folders => {
    const outcomes = new Map<string, Promise<Outcome>>()
    for (const folder of folders) {
      if (!outcomes.has(folder)) outcomes.set(folder, syncFolder(folder).catch(asError))
    }
    return Promise.all(folders.map(folder => outcomes.get(folder)))
  })
  const committed = groupCommit<true>(async calls => {
    await Promise.all(['/etc', '/home'].map(folder => syncJournal(path(folder))))
    return calls.map(() => undefined)
  })
  const machine: Machine = {
    ...parts,
    path,
    get services() {
      return (services ??= openServices(machine))
    },
    part<Part>(of: MachinePart<Part>) {
      if (!resourceParts.has(of)) resourceParts.set(of, of[kind](machine))
      return resourceParts.get(of) as Part
    },
    sync: async (...folders) => {
      if (isDurable) await Promise.all(folders.map(folder => synced(path(folder))))
    },
    commit: async () => {
      if (isDurable) await committed(true)
    },
    ensureShared: () => shared(true),
  }
  return machine
}
