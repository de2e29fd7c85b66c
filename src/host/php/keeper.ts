import { existsSync } from 'node:fs'
import { log } from '../../log.ts'
import { indexUserFiles } from '../accounts/user-database.ts'
import { adminerUser } from '../accounts/users.ts'
import { hasKernel } from '../accounts/user-processes.ts'
import type { Machine } from '../contract.ts'
import { findProcess } from '../tools/processes.ts'
import { ensureLog, rotateLog } from './log.ts'
import { markMissing } from '../web/missing-php.ts'
import { isSitePhp, programLinkOf, siteIdOf, startLinks, uidOf } from './instances.ts'
import type { PhpInstance } from './instances.ts'

// The worker's supervision of PHP, apart from operations: it ends the PHP of accounts without
// visitors, each of which would take some 8 MB of memory for good, and rotates the PHP logs.

// Between two checks, a log can grow at most to the account's disk limit.
const checkMs = 10_000

/** Supervises the PHP of all accounts, for as long as this process lives. */
export function keepPhp(machine: Machine, idleMs: number): void {
  // A sandbox runs none.
  if (!hasKernel(machine)) return
  const quiet = machine.services.wakesPhp ? openQuiet(idleMs) : () => []
  const check = async () => {
    const running = machine.services.phpProcesses()
    const idle = quiet(running, performance.now())
    // A request that arrives in between waits in the socket, or is served first.
    if (idle.length > 0) await machine.services.signalPhp(idle, 'SIGQUIT')
    const logs = new Set(keepLogs(machine))
    const rotated = [...running.keys()].filter(one => logs.has(uidOf(one)))
    if (rotated.length > 0) await machine.services.signalPhp(rotated, 'SIGUSR1')
    await stopMissing(machine)
  }
  const again = async () => {
    await check().catch(error => log.error('supervising PHP failed', error))
    setTimeout(again, Math.min(checkMs, idleMs / 4)).unref()
  }
  void again()
}

/**
 * Returns a function that finds instances whose PHP has served no request for this time: the master
 * has had no children, and no child has ended since. A master serves nothing itself, and a child
 * lives as long as its request.
 */
export function openQuiet(idleMs: number) {
  let known = new Map<PhpInstance, { master: string; since: number }>()
  return (running: ReadonlyMap<PhpInstance, readonly number[]>, now: number): PhpInstance[] => {
    const alone = [...running].flatMap(([instance, [pid, ...others]]) => {
      const found = others.length === 0 ? findProcess(pid ?? 0) : undefined
      if (found === undefined) return []
      const master = `${found.pid} ${found.startedTicks} ${found.faultsOfChildren}`
      return [{ instance, master }]
    })
    known = new Map(
      alone.map(({ instance, master }) => {
        const before = known.get(instance)
        return [instance, before?.master === master ? before : { master, since: now }]
      }),
    )
    return [...known].filter(([, { since }]) => now - since >= idleMs).map(([one]) => one)
  }
}

// Stops websites' PHP whose program was uninstalled: each visitor would have it start in vain.
async function stopMissing(machine: Machine): Promise<void> {
  for (const instance of startLinks().filter(isSitePhp)) {
    if (existsSync(machine.path(programLinkOf(instance)))) continue
    await markMissing(machine, siteIdOf(instance))
    await machine.services.stopSitePhp(instance)
    log.error('the version of PHP that a website uses is not installed', '', { instance })
  }
}

/** Creates missing logs and rotates large ones; returns the accounts of the new logs. */
function keepLogs(machine: Machine): number[] {
  const users = indexUserFiles(machine.path)
  return startLinks().filter((uid): uid is number => {
    if (isSitePhp(uid)) return false // It shares its account's log.
    const username = users.nameOf(uid)
    // Adminer's log is not in a home.
    if (username === undefined || username === adminerUser) return false
    try {
      ensureLog(machine, { username, uid })
      return rotateLog(machine, { username, uid })
    } catch (error) {
      log.error('rotating the PHP log failed', error, { uid })
      return false
    }
  })
}
