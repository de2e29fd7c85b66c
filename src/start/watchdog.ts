import type { ChildProcess } from 'node:child_process'

// Watches for signs of life: a process whose event loop turns sends them (src/process.ts). A
// stopped or hung one sends none, and cannot be asked to end either.

// Before its first sign of life a process loads its code, on a machine that may be busy.
const startMs = 60_000
const checksWithin = 10

/**
 * Calls `onSilent` once when a process has sent no sign of life for this time.
 *
 * Checks are counted instead of time: this process may itself have been stopped, or the whole
 * machine asleep, and messages sent meanwhile arrive before the next check but one.
 */
export function watchOver(child: ChildProcess, limitMs: number, onSilent: () => void): void {
  const pauseMs = limitMs / checksWithin
  let left = checksWithin + startMs / pauseMs
  const checks = setInterval(() => {
    if (--left > 0) return
    clearInterval(checks)
    onSilent()
  }, pauseMs)
  child.on('message', () => (left = checksWithin))
  child.once('exit', () => clearInterval(checks))
}
