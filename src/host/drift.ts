import type { HostAccount } from '../model/host-account.ts'
import type { ResourceName } from '../model/host.ts'
import { indexUserFiles } from './accounts/user-database.ts'
import { isStrangers } from './accounts/users.ts'
import type { Drift, Machine } from './contract.ts'
import { resources } from './resources.ts'

/** What of an account differs from what is wanted, for each resource that does. */
export type AccountDrift = ReadonlyMap<ResourceName, Drift[]>

/** The machine as it is at one moment, for questions about many accounts; changes nothing. */
export async function takeSnapshot(machine: Machine) {
  const users = indexUserFiles(machine.path)
  const looks = await Promise.all(
    resources.map(async ({ name, look }) => ({ name, look: await look?.(machine, users) })),
  )
  return {
    driftOf(account: HostAccount): AccountDrift {
      const { uid } = account
      // All else under the number is somebody else's.
      if (isStrangers(users, account)) {
        return new Map([['user', [{ sentence: `the number ${uid} is ${users.nameOf(uid)}'s` }]]])
      }
      const found = looks.map(
        ({ name, look }) => [name, (look?.(account) ?? []).map(toDrift)] as const,
      )
      return new Map(found.filter(([, drift]) => drift.length > 0))
    },
  }
}

const toDrift = (one: Drift | string): Drift => (typeof one === 'string' ? { sentence: one } : one)

/** All of it, in the order of the resources. */
export const listDrift = (drift: AccountDrift): Drift[] => [...drift.values()].flat()
