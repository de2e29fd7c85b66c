import { closedGroup, sftpGroup } from '../access/sftp.ts'
import type { Machine, SharedFile } from '../contract.ts'
import { isThere, readFile } from '../tools/files.ts'
import { readOfProcess } from '../tools/processes.ts'

// Command lines and environments are private, so a process of an account sees only that account's
// own processes (docs/decisions/0043-hidden-processes.md). Under systemd, each unit that starts an
// account's programs has its own /proc; otherwise, the machine's own /proc is closed. SFTP sessions
// are locked into a home, which has none.

/** Set in the unit of each service that runs programs as an account. */
export const hiding = 'ProtectProc=invisible'

// Cron and at run jobs of accounts; sessions of cron also start the user's own systemd.
const daemons = ['cron', 'atd'] as const
const units = [...daemons, 'user@']

/**
 * Drop-ins for other packages' units, and a policy that stops accounts from asking systemd instead.
 */
export const hidingFiles = ({ path }: Machine): SharedFile[] => [
  ...units.map(unit => ({ path: dropInOf(unit), text: renderDropIn() })),
  ...(isThere(path(busFolder)) ? [{ path: busFile, text: renderBus() }] : []),
]

const dropInOf = (unit: string): string => `/etc/systemd/system/${unit}.service.d/50-panel.conf`

const renderDropIn = (): string => `# Written by the panel, which overwrites changes.
[Service]
# Users cannot see other users' processes; root sees all.
${hiding}
`

const busFolder = '/etc/dbus-1/system.d'
export const busFile = `${busFolder}/panel-accounts.conf`

// systemd shows everyone the command lines of every unit (GetUnitProcesses). An account needs
// nothing on the machine's bus.
const renderBus = (): string => `<?xml version="1.0"?>
<!-- Written by the panel, which overwrites changes. -->
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
${[sftpGroup, closedGroup].map(renderPolicy).join('\n')}
</busconfig>
`

const renderPolicy = (group: string): string => `  <policy group="${group}">
    <deny send_type="method_call"/>
    <deny own="*"/>
  </policy>`

/** The drop-ins, for the uninstaller. */
export const hidingDropIns = units.map(dropInOf)

/** Returns services still running from a unit without it: they read it at their next start. */
export const openDaemons = (machine: Machine): string[] =>
  daemons.filter(name => {
    const pid = pidOf(machine, name)
    return pid !== undefined && !isHiding(pid)
  })

/** Returns those whose processes see the ones of other users. */
export const openUsers = <Of>(processes: ReadonlyMap<Of, readonly number[]>): Of[] =>
  [...processes].filter(([, pids]) => pids.some(pid => !isHiding(pid))).map(([of]) => of)

/** Returns whether cron is running, which starts accounts' jobs. */
export const isCronUp = (machine: Machine): boolean => pidOf(machine, 'cron') !== undefined

const pidFiles = { cron: '/run/crond.pid', atd: '/run/atd.pid' }

function pidOf(machine: Machine, name: (typeof daemons)[number]): number | undefined {
  const pid = Number(readFile(machine.path(pidFiles[name]))?.trim())
  return readOfProcess(pid, 'comm').trim() === name ? pid : undefined
}

/** Returns whether a process sees only those of its own user; true for one that has ended. */
export function isHiding(pid: number | 'self'): boolean {
  // The last mount is the visible one (proc_pid_mountinfo(5)).
  const mounts = readOfProcess(pid, 'mountinfo').split('\n')
  const own = mounts.findLast(line => line.split(' ')[4] === '/proc')
  return own === undefined || /[ ,]hidepid=(2|invisible)\b/.test(own)
}
