import * as fs from 'node:fs'
import { join } from 'node:path'
import pRetry from 'p-retry'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import type { LimitState } from '../contract.ts'
import { hasCode, listNames, readFile } from '../tools/files.ts'
import { maxTasks } from './slice.ts'

// Limits written into the kernel's control groups directly, where systemd is not running: one group
// per account, below the root of the single hierarchy (v2) or below our own group of each hierarchy
// (v1).

/** The control groups of accounts. */
export type Groups = ReturnType<typeof openGroups>

export function openGroups() {
  const layout = isUnified() ? unified() : separate()
  return {
    /**
     * Sets the account's limits, and returns a warning about those that the kernel does not
     * enforce.
     */
    limit(account: HostAccount): Warning {
      try {
        layout.prepare()
        for (const limits of layout.limitsOf(account)) write(limits)
        return late
      } catch (error) {
        if (!hasCode(error, ...refusals)) throw error
        return hasCode(error, 'EBUSY') ? kept : notLimited
      }
    },
    limitState: (account: HostAccount): LimitState =>
      layout.limitsOf(account).every(holds) ? 'set' : layout.isUsable() ? 'due' : 'impossible',
    /** Moves a process into its account's group, if there is one. */
    add(uid: number, pid: number) {
      for (const folder of layout.foldersOf(uid)) {
        try {
          fs.writeFileSync(join(folder, 'cgroup.procs'), String(pid))
        } catch (error) {
          // The process has ended, or there is no group, which a warning reports.
          if (!hasCode(error, 'ESRCH', ...refusals)) throw error
        }
      }
    },
    /** Returns the accounts that have a group. */
    list(): number[] {
      const [sample = ''] = layout.foldersOf(0)
      return listNames(join(sample, '..')).flatMap(name => {
        const uid = /^panel-([0-9]+)$/.exec(name)?.[1]
        return uid === undefined ? [] : [Number(uid)]
      })
    },
    /** Returns the ids of the processes in an account's group. */
    members(uid: number) {
      const [sample = ''] = layout.foldersOf(uid)
      return new Set(textIn(join(sample, 'cgroup.procs')).split('\n'))
    },
    async remove(uid: number) {
      for (const folder of layout.foldersOf(uid)) await removeGroup(folder)
    },
  }
}

const late: Warning = {
  code: 'limits_delayed',
  sentence:
    'systemd is not running: memory and CPU limits apply to SFTP sessions and cron jobs only ' +
    'after a few seconds',
}
const kept: Warning = {
  code: 'memory_limit_kept',
  sentence:
    'The account uses more memory than its package allows: the memory limit was not lowered',
}
const notLimited: Warning = {
  code: 'memory_not_limited',
  sentence:
    'systemd is not running and control groups cannot be used: memory and CPU are not limited',
}

// The kernel's errors for a hierarchy that cannot be changed from here.
const refusals = ['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EOPNOTSUPP', 'EINVAL']

type Limits = { folder: string; values: Record<string, string> }

type Layout = ReturnType<typeof unified>

const location = '/sys/fs/cgroup'
// Period in microseconds over which the CPU share is counted; the kernel's default.
const period = 100_000

const limited = ['memory', 'cpu', 'pids']

const isUnified = (): boolean => fs.existsSync(join(location, 'cgroup.controllers'))

function unified() {
  const folderOf = (uid: number) => join(location, 'panel', `panel-${uid}`)
  return {
    foldersOf: (uid: number) => [folderOf(uid)],
    /** Returns an account's limits in the format of the kernel's files. */
    limitsOf({ uid, limits: { memoryMb, cpuPercent } }: HostAccount): Limits[] {
      const values = {
        'memory.max': bytesOf(memoryMb),
        'memory.swap.max': '0',
        'cpu.max': `${cpuPercent * (period / 100)} ${period}`,
        'pids.max': String(maxTasks),
      }
      return [{ folder: folderOf(uid), values }]
    },
    /** Returns whether groups can be made here, as far as can be seen without making one. */
    isUsable() {
      const controllers = textIn(join(location, 'cgroup.controllers')).trim().split(' ')
      return isWritable(location) && limited.every(name => controllers.includes(name))
    },
    /** Prepares the hierarchy for the accounts' groups. */
    prepare() {
      for (const above of [location, join(location, 'panel')]) {
        fs.mkdirSync(above, { recursive: true })
        fs.writeFileSync(join(above, 'cgroup.subtree_control'), '+memory +cpu +pids')
      }
    },
  }
}

function separate(): Layout {
  const own = ownGroups()
  const folderOf = (controller: string, uid: number) =>
    join(location, controller, own.get(controller) ?? '/', `panel-${uid}`)
  return {
    foldersOf: uid => limited.map(controller => folderOf(controller, uid)),
    // Memory comes last: the kernel refuses a limit below the current use.
    limitsOf: ({ uid, limits: { memoryMb, cpuPercent } }) => [
      {
        folder: folderOf('cpu', uid),
        values: {
          'cpu.cfs_period_us': String(period),
          'cpu.cfs_quota_us': String(cpuPercent * (period / 100)),
        },
      },
      { folder: folderOf('pids', uid), values: { 'pids.max': String(maxTasks) } },
      { folder: folderOf('memory', uid), values: { 'memory.limit_in_bytes': bytesOf(memoryMb) } },
    ],
    isUsable: () => limited.every(name => isWritable(join(folderOf(name, 0), '..'))),
    prepare: () => {},
  }
}

const bytesOf = (mb: number): string => String(mb * 1_048_576)

// Reads lines such as `4:memory:/some/group`; a hierarchy may have several controllers.
function ownGroups(): Map<string, string> {
  const lines = (readFile('/proc/self/cgroup') ?? '').split('\n').map(line => line.split(':'))
  return new Map(
    lines.flatMap(([, names = '', path = '/']) => names.split(',').map(name => [name, path])),
  )
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return true
  } catch {
    return false // The hierarchy does not exist, or cannot be changed.
  }
}

// The file is missing where the kernel has no swap.
const isOptional = (path: string): boolean => path.endsWith('swap.max') && !fs.existsSync(path)

function write({ folder, values }: Limits): void {
  fs.mkdirSync(folder, { recursive: true })
  for (const [file, value] of Object.entries(values)) {
    const path = join(folder, file)
    if (!isOptional(path)) fs.writeFileSync(path, value)
  }
}

const holds = ({ folder, values }: Limits): boolean =>
  Object.entries(values).every(([file, value]) => {
    const path = join(folder, file)
    return textIn(path).trim() === value || isOptional(path)
  })

// A killed process stays in its group until its parent has waited for it.
const removeGroup = (folder: string): Promise<void> =>
  pRetry(() => fs.rmdirSync(folder), {
    ...{ retries: 100, minTimeout: 20, factor: 1 },
    shouldRetry: ({ error }) => hasCode(error, 'EBUSY'),
  }).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'EROFS', 'EACCES')) throw error
  })

/** Returns the text of a group's file, or '' if the group has just been removed. */
export function textIn(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch {
    return '' // The group is gone.
  }
}
