import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ScriptProcess } from '../../model/host.ts'
import { findProcess, listPids, readOfProcess, type Process } from '../tools/processes.ts'

// Process groups that were started by somebody who is gone. A number proves nothing: it may be
// another process's by now, and killing that one would be the greatest harm of all.

/** What tells a process from all others that have had or will have its number. */
export function identify(pid: number): ScriptProcess {
  const startedTicks = findProcess(pid)?.startedTicks ?? '0'
  return { pid, startedTicks, bootId: bootId() }
}

// Longer than the kernel takes to end what does not wait for a disk that is away.
const roundsAtMost = 1_000
const pauseMs = 5

/**
 * Kills what is left of a process group until nothing is. Where its leader is not known, it had no
 * time to do much: then all that was started with `mark` in its environment is killed.
 *
 * @throws if something of it can't be ended
 */
export async function endGroup(mark: string, leader: ScriptProcess | null): Promise<void> {
  if (leader !== null && leader.bootId !== bootId()) return
  for (let round = 0; round < roundsAtMost; round++) {
    const pids = leader === null ? marked(mark) : ofGroup(leader, mark)
    if (pids.length === 0) return
    for (const pid of pids) kill(pid)
    await sleep(pauseMs)
  }
  throw new Error('An earlier run of it cannot be ended')
}

const marked = (mark: string): number[] =>
  running()
    .map(({ pid }) => pid)
    .filter(pid => pid !== process.pid && hasMark(pid, mark))

function ofGroup(leader: ScriptProcess, mark: string): number[] {
  const found = findProcess(leader.pid)
  // Another process has the number: so there was no such group any more when it got it.
  if (found !== undefined && found.startedTicks !== leader.startedTicks) return []
  const members = running()
    .filter(({ group }) => group === leader.pid)
    .map(({ pid }) => pid)
  // Without its leader a group might be another one's whose leader is gone as well.
  const isOurs = found !== undefined || members.some(pid => hasMark(pid, mark))
  return isOurs ? members : []
}

/** Whether anybody is alive in a process group. */
export const hasMembers = (pid: number): boolean => running().some(({ group }) => group === pid)

const running = (): Process[] =>
  listPids()
    .flatMap(pid => findProcess(Number(pid)) ?? [])
    .filter(({ isDead }) => !isDead)

const hasMark = (pid: number, mark: string): boolean =>
  readOfProcess(pid, 'environ').split('\0').includes(mark)

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}
