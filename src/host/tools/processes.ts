import { readdirSync, readFileSync } from 'node:fs'

// Processes as the kernel tells of them. Any of them may end between two looks.

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
export type Process = { pid: number; group: number; startedTicks: string; isDead: boolean }

/** A process by its number; a dead one is there until it has been waited for. */
export function findProcess(pid: number): Process | undefined {
  const stat = readOfProcess(pid, 'stat')
  // The name, in brackets, may hold anything; the state is the third field (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, , group, startedTicks] = [fields[0], fields[1], fields[2], fields[19]]
  if (group === undefined || startedTicks === undefined) return undefined
  return { pid, group: Number(group), startedTicks, isDead: state === 'Z' || state === 'X' }
}
