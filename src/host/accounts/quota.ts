import { realpathSync } from 'node:fs'
import type { HostAccount } from '../../model/host-account.ts'
import { ensureFile, readFile, removeFile } from '../tools/files.ts'
import type { Machine } from '../machine.ts'
import { CommandError } from '../tools/run.ts'

/** Limits the account's files; says so where the file system of /home can't. */
export async function ensureQuota(
  machine: Machine,
  account: HostAccount,
): Promise<string | undefined> {
  return set(machine, account.uid, limitsOf(account))
}

/** What `setquota` is told: blocks and inodes, each soft and hard. */
export function limitsOf({ limits }: HostAccount): string[] {
  const kib = 1024 * limits.diskMb
  // Files without content take no blocks, but they too can fill a disk.
  const inodes = 10_000 + 100 * limits.diskMb
  return [kib, kib, inodes, inodes].map(String)
}

export async function removeQuota(machine: Machine, { uid }: HostAccount): Promise<void> {
  await set(machine, uid, ['0', '0', '0', '0'])
}

async function set(machine: Machine, uid: number, limits: string[]): Promise<string | undefined> {
  if (machine.kind === 'sandbox') return record(machine, uid, limits)
  const mount = homesMount()
  const lacking = `The file system of ${mount} has no quota: the disk limit is not enforced`
  if (performance.now() < lackedUntil) return lacking
  try {
    await machine.run('setquota', ['-u', String(uid), ...limits, mount])
  } catch (error) {
    if (!(error instanceof CommandError) || !lacksQuota.test(error.stderr)) throw error
    lackedUntil = performance.now() + askAgainMs
    return lacking
  }
  const off = await whyUnenforced(machine, mount)
  return off === undefined ? undefined : `${off}: the disk limit is not enforced`
}

/** What says that limits may be set there and hold nobody back; undefined where they do. */
export async function whyUnenforced(machine: Machine, mount: string): Promise<string | undefined> {
  if (performance.now() < enforcedUntil) return undefined
  const flags = await machine.run('perl', ['-e', tellFlags, '--', mount])
  // Nothing is told by kernels before 5.14.
  if (flags !== '' && (Number(flags) & enforced) === 0) {
    return `Quota is switched off on the file system of ${mount}`
  }
  enforcedUntil = performance.now() + askAgainMs
  return undefined
}

// quotactl_fd(Q_XGETQSTAT) of user quota (quotactl(2)): files may be counted and not limited, and
// none of the quota tools tells the one from the other. The number is the same on all machines.
const tellFlags =
  'open(my $place, "<", shift) or die $!; my $state = "\\0" x 80; ' +
  'syscall(443, fileno($place), 0x580500, 0, $state) == 0 and print unpack("x2 S", $state)'
const enforced = 2

/** Where the file system of the homes is mounted. */
export const homesMount = (): string => mountOf(realpathSync('/home'))

/**
 * Where the file system of a path is mounted; a process less for each account than asking findmnt
 * (proc(5), /proc/pid/mountinfo).
 */
export function mountOf(path: string): string {
  const mounts = (readFile('/proc/self/mountinfo') ?? '')
    .split('\n')
    .map(line => line.split(' ')[4] ?? '')
    .map(place =>
      place.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8))),
    )
    .filter(place => place === '/' || place === path || path.startsWith(`${place}/`))
  // Of two at the same place the later one covers the other.
  return mounts.reduce((best, place) => (place.length >= best.length ? place : best), '/')
}

// What has just been asked need not be asked for each account anew.
const askAgainMs = 10_000
let lackedUntil = 0
let enforcedUntil = 0

// What setquota says of a file system without quotas, and setpriv where there is no setquota.
const lacksQuota =
  /quota (option|enabled)|no quota|not enabled|not supported|No such process|failed to execute/i

// What would be set, where it can be seen.
async function record(machine: Machine, uid: number, limits: string[]): Promise<undefined> {
  const file = machine.path(`/var/lib/panel/quota/${uid}`)
  if (limits.every(limit => limit === '0')) removeFile(file)
  else await ensureFile(file, `${limits.join(' ')}\n`, 0o644)
}
