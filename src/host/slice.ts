import type { HostAccount } from '../model/host-account.ts'

// All that runs as the account runs in one slice: the sessions that logind puts there, and PHP.

export const sliceOf = (uid: number): string => `user-${uid}.slice`

export const renderSlice = (account: HostAccount): string =>
  `# Limits of user ${account.uid}. Written by the panel, which overwrites changes.
[Slice]
${propertiesOf(account).join('\n')}
`

export const propertiesOf = ({ limits: { memoryMb, cpuPercent } }: HostAccount): string[] => [
  `MemoryMax=${memoryMb}M`,
  `MemoryHigh=${highOf(memoryMb)}M`,
  'MemorySwapMax=0',
  `CPUQuota=${cpuPercent}%`,
  `TasksMax=${tasksAtMost}`,
]

/** From here on the kernel slows the account down before it has to kill. */
export const highOf = (memoryMb: number): number => Math.floor(memoryMb * 0.9)

/** Far above what the PHP of the largest package and its programs need. */
export const tasksAtMost = 200
