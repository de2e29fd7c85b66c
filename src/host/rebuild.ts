import { batched } from '../batched.ts'
import type { HostAccount } from '../model/accounts/host-account.ts'
import type { Compared, Host, ResourceName } from '../model/server/host.ts'
import { readmit } from './accounts/tending.ts'
import type { Machine } from './contract.ts'
import { listDrift, takeSnapshot, type AccountDrift } from './drift.ts'
import { php, websites } from './resources.ts'
import { inShort } from './tools/file-drift.ts'
import { listWebsites, removeWebsites } from './web/orphaned-websites.ts'

/** The operations that the worker calls for a rebuild. */
export const rebuildOf = (machine: Machine) => {
  // A snapshot reads the whole machine: concurrent operations share one.
  const compare = batched(async (accounts: HostAccount[]): Promise<Compared[]> => {
    const { driftOf } = await takeSnapshot(machine)
    return accounts.map(account => {
      const drift = driftOf(account)
      const part = partOf(machine, account, drift)
      return { differed: listDrift(drift).map(inShort), ...(part && { part }) }
    })
  })
  return {
    ensureShared: async () => void (await machine.ensureShared()),
    listWebsites: () => listWebsites(machine),
    removeWebsites: websites => removeWebsites(machine, websites),
    compare,
    readmit: account => readmit(machine, account),
  } satisfies Partial<Host>
}

// Websites and PHP can be repaired on their own, unless PHP has to stop or a website is deleted.
// Everything else is repaired as a whole, in the order of `apply`; so are limits that are not set,
// as only an attempt shows the reason.
function partOf(
  { services }: Machine,
  account: HostAccount,
  drift: AccountDrift,
): ResourceName[] | undefined {
  const { desired, deleting } = account
  const apart = [
    ...(deleting.length === 0 ? [websites.name] : []),
    ...(desired === 'active' ? [php.name] : []),
  ]
  const isApart = [...drift.keys()].every(name => apart.some(one => one === name))
  if (!isApart || services.limitState(account) !== 'set') return undefined
  return apart.filter(name => drift.has(name))
}
