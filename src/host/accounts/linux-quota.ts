import { realpathSync } from 'node:fs'
import type { Warning } from '../../model/accounts/warnings.ts'
import type { Machine, Quota } from '../contract.ts'
import { readFile } from '../tools/files.ts'
import { CommandError } from '../tools/run.ts'

/** Disk limits enforced by the kernel, as far as the file system of /home supports them. */
export function linuxQuota(run: Machine['run']): Quota {
  const report = (timeoutMs: number) =>
    run('repquota', ['-u', '-n', homesMount()], { timeoutMs, outputLimit: reportLimit })
  // A recent answer need not be checked again for each account.
  let [lackedUntil, enforcedUntil] = [0, 0]

  // Returns why limits can be set but are not enforced; undefined if they are.
  const whyUnenforced = async (mount: string): Promise<string | undefined> => {
    if (performance.now() < enforcedUntil) return undefined
    const flags = await run('perl', ['-e', reportFlags, '--', mount])
    // Kernels before 5.14 report nothing.
    if (flags !== '' && (Number(flags) & enforced) === 0) {
      return `Disk quota is switched off on the file system of ${mount}`
    }
    enforcedUntil = performance.now() + askAgainMs
    return undefined
  }

  return {
    async set(uid, limits) {
      const mount = homesMount()
      const lacking = notLimited(`The file system of ${mount} has no disk quota`)
      if (performance.now() < lackedUntil) return lacking
      try {
        await run('setquota', ['-u', String(uid), ...limits, mount])
      } catch (error) {
        if (!(error instanceof CommandError) || !lacksQuota.test(error.stderr)) throw error
        lackedUntil = performance.now() + askAgainMs
        return lacking
      }
      const off = await whyUnenforced(mount)
      return off === undefined ? undefined : notLimited(off)
    },

    async openReader() {
      const text = await unlessRefused(report(readLimitMs))
      if (typeof text !== 'string') return undefined
      const limits = parseLimits(text)
      return uid => limits.get(uid) ?? '0 0 0 0'
    },

    async measure() {
      const text = await unlessRefused(report(measureLimitMs))
      return typeof text === 'string' ? parseUse(text) : undefined
    },

    async measureRoom() {
      const text = await unlessRefused(report(readLimitMs))
      return typeof text === 'string' ? parseRoom(text) : undefined
    },

    async whyNone() {
      const why = await unlessRefused(report(readLimitMs).then(() => whyUnenforced(homesMount())))
      return why instanceof CommandError ? why.message : why
    },
  }
}

const notLimited = (why: string): Warning => ({
  code: 'disk_not_limited',
  sentence: `${why}: the disk limit is not enforced`,
})

const readLimitMs = 10_000
const measureLimitMs = 120_000
// Twice what a server with 100,000 users reports.
const reportLimit = 20_000_000
const askAgainMs = 10_000

// A tool that refuses is saying that there is no quota.
const unlessRefused = <T>(work: Promise<T>): Promise<T | CommandError> =>
  work.catch((error: unknown) => {
    if (error instanceof CommandError) return error
    throw error
  })

/**
 * Returns the limits of each uid from `repquota -n`, as `setquota` takes them: `#20001 -- 12 1024
 * 1024 3 110 110`, with a time after exceeded soft limits.
 */
export function parseLimits(text: string): Map<number, string> {
  const [used, limit] = ['[0-9]+', '([0-9]+)']
  const grace = '(?:[0-9]*[a-z:][0-9a-z:]* +)?'
  const files = `${used} +${limit} +${limit}`
  const line = new RegExp(`^#([0-9]+) +[-+]{2} +${files} +${grace}${files}`, 'gm')
  return new Map(
    Array.from(text.matchAll(line), ([, uid, ...limits]) => [Number(uid), limits.join(' ')]),
  )
}

/** Returns the bytes used by each uid from the same report, which counts in KiB. */
export function parseUse(text: string): Map<number, number> {
  const lines = text.matchAll(/^#([0-9]+) +[-+]{2} +([0-9]+) /gm)
  return new Map(Array.from(lines, ([, uid, kib]) => [Number(uid), Number(kib) * 1024]))
}

/** Returns the bytes that each uid with a limit may still store, from the same report. */
export function parseRoom(text: string): Map<number, number> {
  const limits = parseLimits(text)
  const rooms = Array.from(parseUse(text), ([uid, used]): [number, number] => {
    const hard = Number(limits.get(uid)?.split(' ')[1] ?? 0)
    return [uid, hard === 0 ? Infinity : Math.max(0, hard * 1024 - used)]
  })
  return new Map(rooms.filter(([, room]) => room !== Infinity))
}

// Calls quotactl_fd(Q_XGETQSTAT) for user quota (quotactl(2)): files may be counted but not
// limited, and no quota tool distinguishes the two. The syscall number is the same on all machines.
const reportFlags =
  'open(my $location, "<", shift) or die $!; my $state = "\\0" x 80; ' +
  'syscall(443, fileno($location), 0x580500, 0, $state) == 0 and print unpack("x2 S", $state)'
const enforced = 2

const homesMount = (): string => mountOf(realpathSync('/home'))

// Reads the mounts directly, which saves a findmnt process per account (proc(5),
// /proc/pid/mountinfo).
function mountOf(path: string): string {
  const mounts = (readFile('/proc/self/mountinfo') ?? '')
    .split('\n')
    .map(line => line.split(' ')[4] ?? '')
    .map(location =>
      location.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8))),
    )
    .filter(location => location === '/' || location === path || path.startsWith(`${location}/`))
  // The later of two mounts at the same path hides the other.
  return mounts.reduce((best, location) => (location.length >= best.length ? location : best), '/')
}

// Messages of setquota on a file system without quotas, and of setpriv without setquota.
const lacksQuota =
  /quota (option|enabled)|no quota|not enabled|not supported|No such process|failed to execute/i
