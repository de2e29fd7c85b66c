import { log } from '../../log.ts'
import { indexUserFiles } from '../accounts/user-database.ts'
import { adminerUser } from '../accounts/users.ts'
import { hasKernel } from '../accounts/user-processes.ts'
import type { Machine } from '../contract.ts'
import { findProcess } from '../tools/processes.ts'
import { ensureLog, rotateLog } from './log.ts'
import { startLinks } from './unit.ts'

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
    const rotated = keepLogs(machine).filter(uid => running.has(uid))
    if (rotated.length > 0) await machine.services.signalPhp(rotated, 'SIGUSR1')
  }
  const again = async () => {
    await check().catch(error => log.error('supervising PHP failed', error))
    setTimeout(again, Math.min(checkMs, idleMs / 4)).unref()
  }
  void again()
}

/**
 * Returns a function that finds accounts whose PHP has served no request for this time: the master
 * has had no children, and no child has ended since. A master serves nothing itself, and a child
 * lives as long as its request.
 */
export function openQuiet(idleMs: number) {
  let known = new Map<number, { master: string; since: number }>()
  return (running: ReadonlyMap<number, readonly number[]>, now: number): number[] => {
    const alone = [...running].flatMap(([uid, [pid, ...others]]) => {
      const found = others.length === 0 ? findProcess(pid ?? 0) : undefined
      if (found === undefined) return []
      return [{ uid, master: `${found.pid} ${found.startedTicks} ${found.faultsOfChildren}` }]
    })
    known = new Map(
      alone.map(({ uid, master }) => {
        const before = known.get(uid)
        return [uid, before?.master === master ? before : { master, since: now }]
      }),
    )
    return [...known].filter(([, { since }]) => now - since >= idleMs).map(([uid]) => uid)
  }
}

/** Creates missing logs and rotates large ones; returns the accounts of the new logs. */
function keepLogs(machine: Machine): number[] {
  const users = indexUserFiles(machine.path)
  return startLinks().filter(uid => {
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
