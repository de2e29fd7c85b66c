import type { HostAccount } from '../../model/host-account.ts'

// All that runs as the account runs in one slice: the sessions that logind puts there, and PHP.

export const sliceOf = (uid: number): string => `user-${uid}.slice`

export const renderSlice = (account: HostAccount): string =>
  `# Limits of user ${account.uid}. Written by the panel, which overwrites changes.
[Slice]
${propertiesOf(account).join('\n')}
`

// No MemoryHigh below it: whoever takes too much would be slowed down for minutes, and its visitors
// too, before the kernel ends it.
export const propertiesOf = ({ limits: { memoryMb, cpuPercent } }: HostAccount): string[] => [
  `MemoryMax=${memoryMb}M`,
  'MemorySwapMax=0',
  `CPUQuota=${cpuPercent}%`,
  `TasksMax=${tasksAtMost}`,
]

/** Far above what the PHP of the largest package and its programs need. */
export const tasksAtMost = 200
