import { setTimeout as sleep } from 'node:timers/promises'
import type { ScriptProcess } from '../../model/server/host.ts'
import { bootId, findProcess, listPids, readOfProcess, type Process } from '../tools/processes.ts'

// Ends process groups that an earlier worker started. A process id alone proves nothing: it may
// belong to another process by now, which must not be killed.

/** Returns values that distinguish a process from all others that ever have its id. */
export function identify(pid: number): ScriptProcess {
  const startedTicks = findProcess(pid)?.startedTicks ?? '0'
  return { pid, startedTicks, bootId: bootId() }
}

// Five seconds: longer than the kernel takes to end any process that is not stuck on a lost disk.
const maxRounds = 1_000
const pauseMs = 5

/**
 * Kills what is left of a process group until nothing is. If its leader is unknown, it had no time
 * to do much: then all processes with `mark` in their environment are killed.
 *
 * @throws if a process cannot be ended
 */
export async function endGroup(mark: string, leader: ScriptProcess | null): Promise<void> {
  if (leader !== null && leader.bootId !== bootId()) return
  for (let round = 0; round < maxRounds; round++) {
    const pids = leader === null ? marked(mark) : ofGroup(leader, mark)
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
    await sleep(pauseMs)
  }
  throw new Error('An earlier run of the script cannot be ended')
}

const marked = (mark: string): number[] =>
  pidsOf(({ pid }) => pid !== process.pid && hasMark(pid, mark))

function ofGroup(leader: ScriptProcess, mark: string): number[] {
  const found = findProcess(leader.pid)
  // Another process has the id by now; the kernel gives it out only after the group has ended.
  if (found !== undefined && found.startedTicks !== leader.startedTicks) return []
  const members = pidsOf(({ group }) => group === leader.pid)
  // A group without a leader may be another one that has also lost its leader.
  const isOurs = found !== undefined || members.some(pid => hasMark(pid, mark))
  return isOurs ? members : []
}

/** Returns whether a process group has live members. */
export const hasMembers = (pid: number): boolean => pidsOf(({ group }) => group === pid).length > 0

const pidsOf = (isMeant: (one: Process) => boolean): number[] =>
  listPids().flatMap(pid => {
    const found = findProcess(Number(pid))
    return found !== undefined && !found.isDead && isMeant(found) ? [found.pid] : []
  })

const hasMark = (pid: number, mark: string): boolean =>
  readOfProcess(pid, 'environ').split('\0').includes(mark)

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
