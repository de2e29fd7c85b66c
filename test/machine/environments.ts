import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'

/** A kind of machine that tests run on. */
export type Environment = {
  /** Why it is not available here; undefined if it is. */
  lack(): Promise<string | undefined>
  /** Why it cannot run on this processor, whatever is installed; undefined where it can. */
  whyNever?(): string | undefined
  /** The time limit of an unusual file. */
  limitMs?: number
  /** The command line that runs a command on it. */
  command(command: string[], paths: { root: string; scratch: string }): string[]
}

const here = import.meta.dirname

/** By the folder of their tests; the slowest first. */
export const environments: Record<string, Environment> = {
  // Fresh machines, made again and started by systemd (debian-machine.ts): for the installer, for
  // updates, and for PostgreSQL as Debian has it. The test runs here, and changes them alone.
  debian: {
    lack: async () => lackOf({ ...systemdTools, ...nspawnTools, ...debianTools }),
    limitMs: 2_400_000,
    // Its mounts go with it, and so do its machines, however it ends.
    command: command => [
      ...['unshare', '--mount', '--propagation=private'],
      ...['--pid', '--fork', '--kill-child', '--mount-proc', '--', ...command],
    ],
  },
  // The test runs here, and starts user-mode Linux with disks that outlast its power.
  power: {
    lack: async () => lackOf({ ...namespaceTools, ...umlTools }),
    whyNever: () => whyNoKernel(),
    command: command => command,
  },
  // User-mode Linux over this machine's files (uml.sh): disk quota and limits that are enforced.
  uml: {
    lack: async () => lackOf({ ...namespaceTools, ...umlTools, ...databaseTools }),
    whyNever: () => whyNoKernel(),
    command: commandOf('uml.sh'),
  },
  // The same with systemd: slices that are enforced.
  'uml-systemd': {
    lack: async () => lackOf({ ...namespaceTools, ...umlTools, ...systemdTools }),
    whyNever: () => whyNoKernel(),
    command: commandOf('uml.sh', '--systemd'),
  },
  // A throw-away copy of this machine (namespace.sh): real users, nginx, PHP, sshd and cron,
  // and a certificate authority.
  namespace: {
    lack: async () =>
      lackOf({ ...namespaceTools, ...authorityTools, ...databaseTools, ...browserTools }) ??
      refusalOf('namespace.sh'),
    command: commandOf('namespace.sh'),
  },
  // The same copy, started by systemd (nspawn.sh): units and slices.
  nspawn: {
    lack: async () =>
      lackOf({ ...namespaceTools, ...systemdTools, ...nspawnTools, ...databaseTools }) ??
      refusalOf('nspawn.sh'),
    command: commandOf('nspawn.sh'),
  },
}

const umlTools = {
  'user-mode-linux': '/usr/bin/linux.uml',
  kmod: '/sbin/insmod',
  e2fsprogs: '/sbin/mkfs.ext4',
  openssl: '/usr/bin/openssl',
}

const nspawnTools = { 'systemd-container': '/usr/bin/systemd-nspawn' }

const debianTools = {
  mmdebstrap: '/usr/bin/mmdebstrap',
  'xz-utils': '/usr/bin/xz',
  curl: '/usr/bin/curl',
  sshpass: '/usr/bin/sshpass',
}

const systemdTools = {
  'systemd-sysv': '/sbin/init',
  dbus: '/usr/bin/dbus-daemon',
  'libpam-systemd': '/lib/*/security/pam_systemd.so',
}

const namespaceTools = {
  nginx: '/usr/sbin/nginx',
  php: '/usr/sbin/php-fpm?.?',
  'openssh-server': '/usr/sbin/sshd',
  'openssh-client': '/usr/bin/sftp',
  sshpass: '/usr/bin/sshpass',
  acl: '/usr/bin/setfacl',
  quota: '/usr/sbin/setquota',
  cron: '/usr/sbin/cron',
  curl: '/usr/bin/curl',
  iproute2: '/usr/sbin/ip',
  procps: '/usr/bin/pkill',
}

const databaseTools = {
  adminer: '/usr/share/adminer/adminer.php',
  'mariadb-server': '/usr/sbin/mariadbd',
  'php-mysql': '/usr/lib/php/*/mysqli.so',
  wordpress: '/usr/share/wordpress/wp-settings.php',
}

const browserTools = { chromium: '/usr/bin/chromium' }

const authorityTools = {
  pebble: '/usr/bin/pebble',
  openssl: '/usr/bin/openssl',
}

function lackOf(tools: Record<string, string>): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root'
  if (!existsSync('/etc/debian_version')) return 'it needs Debian'
  const missing = Object.entries(tools).filter(([, path]) => globSync(path).length === 0)
  if (missing.length === 0) return undefined
  return `it needs the packages of ${missing.map(([name]) => name).join(', ')}`
}

function refusalOf(script: string): string | undefined {
  const { status, stderr } = spawnSync(join(here, script), ['true'], { encoding: 'utf8' })
  return status === 0 ? undefined : `it cannot be started here (${stderr.trim()})`
}

// Linux before 6.14 writes back a part of the processor's registers only, which processors whose
// registers are larger than it knows (AMX) refuse: its first process ends, and it gives up.
function whyNoKernel(): string | undefined {
  kernel ??= spawnSync(join(here, 'uml.sh'), ['true'], { encoding: 'utf8' })
  const isRefused = kernel.status !== 0 && kernel.stderr.includes('ptrace set fp regs failed')
  return isRefused ? 'the kernel does not know the registers of this processor' : undefined
}

let kernel: { status: number | null; stderr: string } | undefined

function commandOf(script: string, ...flags: string[]): Environment['command'] {
  return (command, { root, scratch }) => [
    ...[join(here, script), ...flags],
    ...['--read-only', root],
    ...['--read-write', scratch],
    ...command,
  ]
}
