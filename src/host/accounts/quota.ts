import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Machine, Resource } from '../contract.ts'
import { unlessUnmanaged } from './users.ts'

/** The account's disk limit. */
export const quota: Resource = {
  name: 'quota',
  ensure: (machine, account) => machine.quota.set(account.uid, limitsOf(account)),
  remove: unlessUnmanaged((machine, { uid }) => machine.quota.set(uid, ['0', '0', '0', '0'])),
  async drift(machine) {
    const differs = await openLimits(machine)
    return account => (differs?.(account) === true ? ['the disk limit differs'] : [])
  },
}

/**
 * Returns a function that compares an account's limits with its package's, where there is a quota.
 */
export async function openLimits({
  quota: { openReader },
}: Machine): Promise<((account: HostAccount) => boolean) | undefined> {
  const limitOf = await openReader()
  return limitOf && (account => limitOf(account.uid) !== limitsOf(account).join(' '))
}

/** Returns the arguments for `setquota`: blocks and inodes, each soft and hard. */
function limitsOf({ limits, databases }: HostAccount): string[] {
  // Databases are files of MariaDB's, which the kernel does not count for the account.
  const kib = 1024 * Math.max(1, limits.diskMb - (databases?.reservedMb ?? 0))
  // Empty files take no blocks, but they too can fill a disk.
  const inodes = 10_000 + 100 * limits.diskMb
  return [kib, kib, inodes, inodes].map(String)
}
