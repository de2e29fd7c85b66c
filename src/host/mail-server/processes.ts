import type { Machine } from '../contract.ts'
import { readFile } from '../tools/files.ts'
import { readOfProcess } from '../tools/processes.ts'

// The first processes of Postfix, Dovecot and Rspamd. A file of a number alone proves nothing: it
// stays when a process is killed.

export const daemonNames = ['postfix', 'dovecot', 'rspamd'] as const
export type DaemonName = (typeof daemonNames)[number]

const pidFiles: Record<DaemonName, string> = {
  postfix: '/var/spool/postfix/pid/master.pid',
  dovecot: '/run/dovecot/master.pid',
  rspamd: '/run/rspamd/rspamd.pid',
}
const titles: Record<DaemonName, string> = {
  postfix: 'master',
  dovecot: 'dovecot',
  rspamd: 'rspamd',
}

/** Returns the number of a daemon's first process; undefined if it is not running. */
export function pidOf(machine: Machine, name: DaemonName): number | undefined {
  const pid = Number(readFile(machine.path(pidFiles[name]))?.trim())
  return isProcessOf(name, pid) ? pid : undefined
}

/** Returns whether a process is a daemon's. */
export const isProcessOf = (name: DaemonName, pid: number): boolean =>
  readOfProcess(pid, 'comm').startsWith(titles[name])
