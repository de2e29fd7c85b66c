import type { Machine } from '../contract.ts'
import { CommandError } from '../tools/run.ts'
import { backupUser } from './paths.ts'
import type { StartedRestic } from './started.ts'

// The transient unit of a run.

/** The files of the system that restic, ssh and sh need. */
export const systemPaths = [
  ...['/usr', '/bin', '/lib', '/lib64'],
  ...[
    'passwd',
    'group',
    'nsswitch.conf',
    'resolv.conf',
    'hosts',
    'ssl',
    'ld.so.cache',
    'localtime',
  ].map(name => `/etc/${name}`),
]

const properties = [
  `User=${backupUser}`,
  `Group=${backupUser}`,
  // To read the home: as the account, its PHP could read restic's memory.
  'AmbientCapabilities=CAP_DAC_READ_SEARCH',
  'CapabilityBoundingSet=CAP_DAC_READ_SEARCH',
  'NoNewPrivileges=yes',
  // With that capability it would open files outside of the view.
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~open_by_handle_at name_to_handle_at @mount @privileged @resources',
  'SystemCallFilter=setpriority sched_setaffinity',
  'SystemCallErrorNumber=EPERM',
  'SystemCallArchitectures=native',
  'TemporaryFileSystem=/:ro',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'PrivateIPC=yes',
  'ProtectProc=invisible',
  'ProcSubset=pid',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'LockPersonality=yes',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'KeyringMode=private',
  'UMask=0077',
  'Nice=19',
  'IOSchedulingClass=idle',
  'MemoryMax=1G',
  'TasksMax=64',
  'RuntimeMaxSec=25h',
  'TimeoutStopSec=10',
  // The reports of restic are in the row, and in the worker's log.
  'LogLevelMax=notice',
]

/** Returns the command that runs restic in a unit, and ends with it. */
export function unitCommand(started: StartedRestic): [string, ...string[]] {
  const { unit, view, credentials, environment, args } = started
  const families = 'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6'
  const all = [
    ...properties,
    // Modes are checked once everything was read, before anyone else may enter.
    ...(view.makesModes ? [] : ['RestrictSUIDSGID=yes']),
    ...(view.hasNetwork ? [families] : ['PrivateNetwork=yes', 'RestrictAddressFamilies=AF_UNIX']),
    ...systemPaths.map(path => `BindReadOnlyPaths=-${path}`),
    // Without what is mounted inside.
    ...view.readable.map(path => `BindReadOnlyPaths=${path}:${path}:norbind`),
    ...view.writable.map(path => `BindPaths=${path}`),
    ...credentials.files.map(name => `LoadCredential=${name}:${credentials.folder}/${name}`),
  ]
  return [
    ...([
      'systemd-run',
      '--quiet',
      '--pipe',
      '--wait',
      '--collect',
      '--service-type=exec',
    ] as const),
    `--unit=${unit}`,
    ...all.map(property => `--property=${property}`),
    ...Object.entries(environment).map(([name, value]) => `--setenv=${name}=${value}`),
    ...['--', '/bin/sh', ...args],
  ]
}

/** Ends the unit with all of its processes, if there is one. */
export async function stopUnit(machine: Machine, unit: string): Promise<void> {
  try {
    await machine.run('systemctl', ['stop', '--', `${unit}.service`])
  } catch (error) {
    // 5: there is no such unit.
    if (!(error instanceof CommandError && error.exitCode === 5)) throw error
  }
}
