import { readdirSync, readFileSync } from 'node:fs'

// Processes as the kernel tells of them. Any of them may end between two looks.

/** Of this start of the kernel; no other has it. */
export const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

/** The numbers of all processes. */
export const listPids = (): string[] =>
  readdirSync('/proc').filter(name => /^[1-9][0-9]*$/.test(name))

/** What a file of a process says; nothing where it has ended or is somebody else's. */
export function readOfProcess(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

/** A process with its group, and when it was started in the kernel's own count. */
export type Process = {
  pid: number
  group: number
  startedTicks: string
  isDead: boolean
  /** Grows with each child that has ended: none lives without the first fault of its memory. */
  faultsOfChildren: string
}

/** A process by its number; a dead one is there until it has been waited for. */
export function findProcess(pid: number): Process | undefined {
  const stat = readOfProcess(pid, 'stat')
  // The name, in brackets, may hold anything; the state is the third field (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, group, faultsOfChildren, startedTicks] = [0, 2, 8, 19].map(at => fields[at])
  if (!group || !faultsOfChildren || !startedTicks) return undefined
  const isDead = state === 'Z' || state === 'X'
  return { pid, group: Number(group), startedTicks, isDead, faultsOfChildren }
}
