import type { HostAccount } from '../model/host-account.ts'
import type { Observe } from '../model/host.ts'
import { removeCertificates } from './web/certificate.ts'
import { ensureCron, parkCron, removeCron } from './access/cron.ts'
import { ensureHome, eraseHome, isForeignHome, trashHome } from './accounts/home.ts'
import type { Machine } from './machine.ts'
import { ensureVhosts, removeVhosts } from './web/nginx.ts'
import { ensurePhp, removePhp, stopPhp } from './php/fpm.ts'
import { endProcesses } from './accounts/user-processes.ts'
import { ensureQuota, removeQuota } from './accounts/quota.ts'
import { ensureSftp, removeKeys, sftpGroupOf } from './access/sftp.ts'
import { removeOrphanedFiles } from './accounts/orphaned-files.ts'
import { isStrangers, taken } from './accounts/users.ts'

/** What can be made of an account's part of the machine: what is wanted, or nothing at all. */
export type Aim = HostAccount['wanted'] | 'erased'

/**
 * Makes the machine agree with what is wanted of the account, from whatever state it is in, and
 * returns what it can't do. Every step may run twice and may be killed at any line: a later run
 * ends in the same state.
 */
export function apply(machine: Machine, account: HostAccount, observe: Observe): Promise<string[]> {
  return follow(lists[account.wanted], machine, account, observe)
}

/**
 * Undoes a change of an account: `apply` of what was, but a step that fails does not keep the
 * others from being done. Throws the first error at the end.
 */
export async function restore(
  machine: Machine,
  account: HostAccount,
  observe: Observe,
): Promise<void> {
  const { wanted } = account
  const follows = wanted === 'active' || wanted === 'suspended' ? mayFollow : never
  await follow(lists[wanted], machine, account, observe, follows)
}

/** Undoes a create that was begun or done: nothing of the account is left, the home included. */
export async function erase(
  machine: Machine,
  account: HostAccount,
  observe: Observe,
): Promise<void> {
  await follow(lists.erased, machine, account, observe)
}

/** The names of the steps, in their order. */
export const stepsOf = (aim: Aim): string[] => lists[aim].map(([name]) => name)

// What an account's number stands for is left alone where the number is somebody else's: then
// nothing under it was ever made for the account.
const unlessStrangers =
  (run: Run): Run =>
  (machine, account) =>
    isStrangers(machine.users, account) ? Promise.resolve() : run(machine, account)

// A step returns a sentence for the administrator where the machine can't do it.
type Run = (machine: Machine, account: HostAccount) => Promise<string | void>
type Step = readonly [name: string, run: Run]

const user: Step = [
  'user',
  async (machine, account) => {
    const { username } = account
    const isNew = machine.users.find(username) === undefined
    if (isNew && isForeignHome(machine, account)) throw taken(username)
    await machine.users.ensure(account, sftpGroupOf(account))
  },
]
const lock: Step = ['lock', (machine, account) => machine.users.lock(account)]
const unlock: Step = ['unlock', (machine, account) => machine.users.unlock(account)]
const removeUser: Step = ['remove user', (machine, account) => machine.users.remove(account)]
const quota: Step = ['quota', ensureQuota]
const noQuota: Step = ['remove quota', unlessStrangers(removeQuota)]
const slice: Step = ['slice', ({ services }, account) => services.limit(account)]
const noSlice: Step = [
  'remove slice',
  unlessStrangers(({ services }, { uid }) => services.unlimit(uid)),
]
const home: Step = ['home', ensureHome]
const php: Step = ['php', ensurePhp]
const phpStopped: Step = ['stop php', stopPhp]
const noPhp: Step = ['remove php', unlessStrangers(removePhp)]
const vhosts: Step = ['vhosts', (machine, account) => ensureVhosts(machine, account)]
const noVhosts: Step = ['remove vhosts', removeVhosts]
const noCertificates: Step = ['remove certificates', removeCertificates]
const processes: Step = [
  'end processes',
  unlessStrangers((machine, { uid }) => endProcesses(machine, uid)),
]
const cron: Step = ['cron', ensureCron]
const cronParked: Step = ['park cron', parkCron]
const noCron: Step = ['remove cron', removeCron]
// A process may have given itself a job until it was ended.
const cronParkedStill: Step = ['park cron again', parkCron]
const noCronStill: Step = ['remove cron again', removeCron]
const noKeys: Step = ['remove keys', removeKeys]
const orphanedFiles: Step = ['remove orphaned files', unlessStrangers(removeOrphanedFiles)]
const sftp: Step = ['sftp', ensureSftp]

// Doors close first, then what came through them is killed: in the other order a visitor could
// start it again. Certificates leave after the vhosts that name them. The user goes last, as the
// name tells a second run whose the home is.
const gone = (removeHome: Step): Step[] => [
  lock,
  noVhosts,
  noCertificates,
  noKeys,
  noPhp,
  noCron,
  processes,
  noCronStill,
  orphanedFiles,
  noSlice,
  noQuota,
  removeHome,
  removeUser,
]

const lists: Record<Aim, readonly Step[]> = {
  // Limits stand before anything runs, PHP before the website that asks it. The user is made
  // locked and the password works at the end, as nothing half made should be looked at.
  active: [user, quota, slice, home, php, vhosts, sftp, unlock, cron],
  // The user comes first for a machine that is made again from the rows. Limits and folders
  // follow the rows in a suspended account too, after all that stops it.
  suspended: [
    ...[user, lock, vhosts, phpStopped, cronParked, processes, cronParkedStill],
    ...[quota, slice, home, sftp],
  ],
  terminated: gone(['trash home', trashHome]),
  erased: gone(['erase home', eraseHome]),
}

// What has to be done before a step is: nothing opens to the account whose limits don't stand, or
// that a step before it could not close.
const needs = new Map<Step, readonly Step[]>([
  [php, [quota, slice]],
  [sftp, [lock]],
  [unlock, [quota, slice, sftp]],
  [cron, [quota, slice]],
])

type Follows = (step: Step, failed: ReadonlyMap<Step, unknown>) => boolean

// Whether a step still comes after others have failed. Not without the user: then name and number
// may be somebody else's. What closes needs nothing; a website without its PHP has its files.
const mayFollow: Follows = (step, failed) =>
  !failed.has(user) && !needs.get(step)?.some(one => failed.has(one))

// What goes takes along what steps before it have let go of, and is tried until it is gone.
const never: Follows = () => false

// So long an undo goes on past what failed: each step may wait for a program that hangs.
const patienceMs = 120_000

async function follow(
  steps: readonly Step[],
  machine: Machine,
  account: HostAccount,
  observe: Observe,
  follows: Follows = never,
): Promise<string[]> {
  const warnings: string[] = []
  const failed = new Map<Step, unknown>()
  const deadline = performance.now() + patienceMs
  // Others that have come to their websites already share the reload with this one.
  const arrived = account.sites.length > 0 ? machine.publish.expect() : () => {}
  try {
    for (const step of steps) {
      const [name, run] = step
      if (step === vhosts || step === noVhosts) arrived()
      if (failed.size > 0 && !follows(step, failed)) continue
      try {
        await observe(name, async () => {
          const warning = await run(machine, account)
          if (typeof warning === 'string') warnings.push(warning)
        })
      } catch (error) {
        failed.set(step, error)
        if (follows === never || performance.now() > deadline) break
      }
    }
  } finally {
    arrived()
  }
  if (failed.size > 0) throw [...failed.values()][0]
  return warnings
}
