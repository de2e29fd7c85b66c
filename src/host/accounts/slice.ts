import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Resource } from '../contract.ts'
import { unlessUnmanaged } from './users.ts'

/**
 * Limits on memory, CPU and processes of everything that runs as the account: its sessions and its
 * PHP.
 */
export const slice: Resource = {
  name: 'slice',
  ensure: ({ services }, account) => services.limit(account),
  remove: unlessUnmanaged(({ services }, { uid }) => services.unlimit(uid)),
  drift:
    ({ services }) =>
    account =>
      services.limitState(account) === 'due' ? ['the limits differ'] : [],
}

/** The systemd unit that carries the limits; logind puts sessions into it. */
export const sliceOf = (uid: number): string => `user-${uid}.slice`

export const renderSlice = (account: HostAccount): string =>
  `# Limits of user ${account.uid}. Written by the panel, which overwrites changes.
[Slice]
${propertiesOf(account).join('\n')}
`

// No MemoryHigh below the limit: an account that takes too much, and its visitors, would be slowed
// down for minutes before the kernel kills a process.
export const propertiesOf = ({ limits: { memoryMb, cpuPercent } }: HostAccount): string[] => [
  `MemoryMax=${memoryMb}M`,
  'MemorySwapMax=0',
  `CPUQuota=${cpuPercent}%`,
  `TasksMax=${maxTasks}`,
]

/** Much more than the PHP of the largest package and its programs need. */
export const maxTasks = 200
