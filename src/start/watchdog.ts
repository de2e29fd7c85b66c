import type { ChildProcess } from 'node:child_process'

// A process whose event loop turns says so (src/process.ts). One that is stopped or hangs says
// nothing, and can't be asked to end either.

// Before it can say anything a process loads its code, on a machine that may be busy.
const startMs = 60_000
const looksWithin = 10

/**
 * Calls `onSilent` once when a process has said nothing for so long.
 *
 * Looks are counted instead of time: this process may itself have been stopped, or the whole
 * machine asleep, and what was said meanwhile is heard before the look after next.
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
