import type { HostAccount } from '../model/accounts/host-account.ts'
import type { ResourceName } from '../model/server/host.ts'
import { indexUserFiles } from './accounts/user-database.ts'
import { isUnmanaged } from './accounts/users.ts'
import type { Drift, Machine } from './contract.ts'
import { resources } from './resources.ts'

/**
 * The differences of an account from its desired state, for each resource that differs, and the
 * reason if any could not be compared.
 */
export type AccountDrift = ReadonlyMap<ResourceName | 'comparison', Drift[]>

/** Takes a snapshot of the machine, for questions about many accounts; changes nothing. */
export async function takeSnapshot(machine: Machine) {
  const users = indexUserFiles(machine.path)
  const readers = await Promise.all(
    resources.map(async ({ name, drift }) => ({ name, read: await drift?.(machine, users) })),
  )
  return {
    driftOf(account: HostAccount): AccountDrift {
      const { uid } = account
      // Everything under the number belongs to something else.
      if (isUnmanaged(users, account)) {
        return new Map([['user', [{ sentence: `the number ${uid} is ${users.nameOf(uid)}'s` }]]])
      }
      const drift = new Map<ResourceName | 'comparison', Drift[]>()
      for (const { name, read } of readers) {
        const [part, found] = compare(name, () => read?.(account) ?? [])
        if (found.length > 0) drift.set(part, [...(drift.get(part) ?? []), ...found])
      }
      return drift
    },
  }
}

// An unexpected object may be in place of a file. It is reported for this account and does not stop
// the comparison of others.
function compare(
  name: ResourceName,
  list: () => (Drift | string)[],
): [ResourceName | 'comparison', Drift[]] {
  try {
    return [name, list().map(toDrift)]
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return ['comparison', [{ sentence: `${name} cannot be compared: ${why}` }]]
  }
}

const toDrift = (one: Drift | string): Drift => (typeof one === 'string' ? { sentence: one } : one)

/** Returns all drift, in the order of the resources. */
export const listDrift = (drift: AccountDrift): Drift[] => [...drift.values()].flat()
