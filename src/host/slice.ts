import { rmSync } from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import { ensureFile, ensureFolder, removeFile, removeFolder } from './files.ts'
import type { Machine } from './machine.ts'
import * as services from './services.ts'

// All that runs as the account runs in one slice: the sessions that logind puts there, and PHP.

const folderOf = (uid: number): string => `/etc/systemd/system/${sliceOf(uid)}.d`
const fileOf = (uid: number): string => `${folderOf(uid)}/50-panel.conf`

export const sliceOf = (uid: number): string => `user-${uid}.slice`

/** Limits memory, CPU and processes, at once and after every start of the machine. */
export async function ensureSlice(machine: Machine, account: HostAccount): Promise<void> {
  const { uid } = account
  ensureFolder(machine.path(folderOf(uid)), 0o755)
  await ensureFile(machine.path(fileOf(uid)), renderSlice(account), 0o644)
  await services.setProperties(machine, sliceOf(uid), propertiesOf(account))
}

export async function removeSlice(machine: Machine, { uid }: HostAccount): Promise<void> {
  await services.stop(machine, sliceOf(uid))
  // What was set for a running slice; `systemctl revert` would read all units again.
  const set = machine.path(`/run/systemd/system.control/${sliceOf(uid)}.d`)
  rmSync(set, { recursive: true, force: true })
  removeFile(machine.path(fileOf(uid)))
  removeFolder(machine.path(folderOf(uid)))
}

export const renderSlice = (account: HostAccount): string =>
  `# Limits of user ${account.uid}. Written by the panel, which overwrites changes.
[Slice]
${propertiesOf(account).join('\n')}
`

const propertiesOf = ({ limits: { memoryMb, cpuPercent } }: HostAccount): string[] => [
  `MemoryMax=${memoryMb}M`,
  // From here on the kernel slows the account down before it has to kill.
  `MemoryHigh=${Math.floor(memoryMb * 0.9)}M`,
  'MemorySwapMax=0',
  `CPUQuota=${cpuPercent}%`,
  'TasksMax=200',
]
