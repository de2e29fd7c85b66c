import type { HostAccount } from '../../model/host-account.ts'
import { readFile } from '../tools/files.ts'
import { hasTool } from '../services/service-health.ts'
import type { Machine } from '../machine.ts'
import { homesMount, limitsOf, whyUnenforced } from './quota.ts'
import { CommandError } from '../tools/run.ts'

// Which limits are set, for `panel ctl doctor` and a rebuild.

const options = { timeoutMs: 10_000, outputLimit: 20_000_000 }

/** Why no quota is kept; undefined where one is, null on a sandbox that has no tools. */
export async function whyNoQuota(machine: Machine): Promise<string | undefined | null> {
  if (machine.kind === 'sandbox' && !hasTool(machine, 'repquota')) return null
  try {
    await report(machine)
    return await whyUnenforced(machine, homesMount())
  } catch (error) {
    if (error instanceof CommandError) return error.message
    throw error
  }
}

const report = (machine: Machine): Promise<string> =>
  machine.run('repquota', ['-u', '-n', homesMount()], options)

/** Accounts with other limits than their package's; undefined where there is no quota. */
export async function findQuotaDrift(
  machine: Machine,
  accounts: readonly HostAccount[],
): Promise<string[] | undefined> {
  const limitOf = await lookAtLimits(machine)
  return limitOf === undefined
    ? undefined
    : accounts
        .filter(account => limitOf(account.uid) !== limitsOf(account).join(' '))
        .map(({ username }) => username)
}

/** What tells the limits of a user, as `setquota` takes them; undefined where there is no quota. */
export async function lookAtLimits(
  machine: Machine,
): Promise<((uid: number) => string) | undefined> {
  if (machine.kind === 'sandbox') {
    return uid => (readFile(machine.path(`/var/lib/panel/quota/${uid}`)) ?? '').trim()
  }
  try {
    const limits = parseLimits(await report(machine))
    return uid => limits.get(uid) ?? '0 0 0 0'
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

/**
 * The limits of each uid by `repquota -n`, as `setquota` takes them: `#20001 -- 12 1024 1024 3 110
 * 110`, with a time behind the soft limits that were passed.
 */
export function parseLimits(text: string): Map<number, string> {
  const [used, limit] = ['[0-9]+', '([0-9]+)']
  const grace = '(?:[0-9]*[a-z:][0-9a-z:]* +)?'
  const files = `${used} +${limit} +${limit}`
  const line = new RegExp(`^#([0-9]+) +[-+]{2} +${files} +${grace}${files}`, 'gm')
  return new Map(
    Array.from(text.matchAll(line), ([, uid, ...limits]) => [Number(uid), limits.join(' ')]),
  )
}
