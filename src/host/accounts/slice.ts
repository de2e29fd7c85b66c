import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Resource } from '../contract.ts'
import { unlessUnmanaged } from './users.ts'

/** Memory, CPU and processes of all that runs as the account: its sessions and its PHP. */
export const slice: Resource = {
  name: 'slice',
  ensure: ({ services }, account) => services.limit(account),
  remove: unlessUnmanaged(({ services }, { uid }) => services.unlimit(uid)),
  look:
    ({ services }) =>
    account =>
      services.limitState(account) === 'due' ? ['the limits differ'] : [],
}

/** The unit of systemd's that holds it, into which logind puts sessions. */
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
