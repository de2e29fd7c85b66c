import { readdirSync, readFileSync } from 'node:fs'

// Processes, as the kernel reports them. Any of them may end between two reads.

/** Returns the unique id of this start of the kernel. */
export const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

/** Returns the ids of all processes. */
export const listPids = (): string[] =>
  readdirSync('/proc').filter(name => /^[1-9][0-9]*$/.test(name))

/** Returns the content of a process's file; '' if it has ended or belongs to another user. */
export function readOfProcess(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

/** A process with its group and its start time, in the kernel's clock ticks. */
export type Process = {
  pid: number
  group: number
  startedTicks: string
  isDead: boolean
  /** Grows with each child that has ended: every child causes at least one page fault. */
  faultsOfChildren: string
}

/** Returns a process by its id; a dead one exists until its parent has waited for it. */
export function findProcess(pid: number): Process | undefined {
  const stat = readOfProcess(pid, 'stat')
  // The name, in brackets, may contain anything; the state is the third field (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, group, faultsOfChildren, startedTicks] = [0, 2, 8, 19].map(at => fields[at])
  if (!group || !faultsOfChildren || !startedTicks) return undefined
  const isDead = state === 'Z' || state === 'X'
  return { pid, group: Number(group), startedTicks, isDead, faultsOfChildren }
}
