import type { ChildProcess } from 'node:child_process'

// Watches for signs of life: a process whose event loop turns sends them (src/process.ts). A
// stopped or hung one sends none, and cannot be asked to end either.

// Before its first sign of life a process loads its code, on a machine that may be busy.
const startMs = 60_000
const looksWithin = 10

/**
 * Calls `onSilent` once when a process has sent no sign of life for this time.
 *
 * Checks are counted instead of time: this process may itself have been stopped, or the whole
 * machine asleep, and messages sent meanwhile arrive before the next check but one.
 */
export function watchOver(child: ChildProcess, limitMs: number, onSilent: () => void): void {
  const pauseMs = limitMs / looksWithin
  let left = looksWithin + startMs / pauseMs
  const looks = setInterval(() => {
    if (--left > 0) return
    clearInterval(looks)
    onSilent()
  }, pauseMs)
  child.on('message', () => (left = looksWithin))
  child.once('exit', () => clearInterval(looks))
}
