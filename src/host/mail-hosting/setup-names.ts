import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Machine } from '../contract.ts'
import { ensureFile, isThere, removeFile } from '../tools/files.ts'
import { setupFolder, setupNamesOf } from '../web/mail-setup.ts'
import { domainsOf } from './rendering.ts'

// Names of an account's mail domains at which nginx answers mail programs: those of domains that
// get mail.

const filesOf = (machine: Machine, domains: readonly { domain: string }[]): string[] =>
  domains
    .flatMap(one => setupNamesOf(one.domain))
    .map(name => machine.path(`${setupFolder}/${name}`))

const activeOf = (account: HostAccount) => domainsOf(account).filter(({ isActive }) => isActive)

const othersOf = (account: HostAccount) => {
  const active = activeOf(account)
  return (account.mail ?? []).filter(one => !active.includes(one))
}

/** Has nginx answer for the account's mail domains, and for no other that it had. */
export async function ensureSetupNames(machine: Machine, account: HostAccount): Promise<void> {
  if (!isThere(machine.path(setupFolder))) return
  for (const path of filesOf(machine, activeOf(account))) {
    if (!isThere(path)) await ensureFile(path, '', 0o644)
  }
  for (const path of filesOf(machine, othersOf(account))) if (isThere(path)) removeFile(path)
}

/** Returns what differs, as sentences. */
export function setupDrift(machine: Machine, account: HostAccount): string[] {
  if (!isThere(machine.path(setupFolder))) return []
  const missing = filesOf(machine, activeOf(account)).filter(path => !isThere(path))
  const extra = filesOf(machine, othersOf(account)).filter(isThere)
  return [
    ...missing.map(path => `${path} is missing`),
    ...extra.map(path => `${path} is still there`),
  ]
}
