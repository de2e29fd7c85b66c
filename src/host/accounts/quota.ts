import type { HostAccount } from '../../model/host-account.ts'
import type { Machine, Resource } from '../contract.ts'
import { unlessStrangers } from './users.ts'

/** How much the account's files may take of the disk. */
export const quota: Resource = {
  name: 'quota',
  ensure: (machine, account) => machine.quota.set(account.uid, limitsOf(account)),
  remove: unlessStrangers((machine, { uid }) => machine.quota.set(uid, ['0', '0', '0', '0'])),
  async look(machine) {
    const limitOf = await machine.quota.look()
    return account =>
      limitOf === undefined || limitOf(account.uid) === limitsOf(account).join(' ')
        ? []
        : [{ sentence: 'the disk limit differs' }]
  },
}

/** What `setquota` is told: blocks and inodes, each soft and hard. */
function limitsOf({ limits }: HostAccount): string[] {
  const kib = 1024 * limits.diskMb
  // Files without content take no blocks, but they too can fill a disk.
  const inodes = 10_000 + 100 * limits.diskMb
  return [kib, kib, inodes, inodes].map(String)
}

/** Accounts with other limits than their package's; undefined where there is no quota. */
export async function findQuotaDrift(
  machine: Machine,
  accounts: readonly HostAccount[],
): Promise<string[] | undefined> {
  const limitOf = await machine.quota.look()
  return limitOf === undefined
    ? undefined
    : accounts
        .filter(account => limitOf(account.uid) !== limitsOf(account).join(' '))
        .map(({ username }) => username)
}
