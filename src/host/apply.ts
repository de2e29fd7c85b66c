import type { HostAccount } from '../model/accounts/host-account.ts'
import type { Observe, ResourceName } from '../model/server/host.ts'
import type { Warning } from '../model/accounts/warnings.ts'
import type { Act, Machine, Resource } from './contract.ts'
import {
  certificates,
  cron,
  databases,
  home,
  leafResources,
  orphanedFiles,
  php,
  processes,
  quota,
  resources,
  sftp,
  slice,
  user,
  websites,
} from './resources.ts'
import { lockDatabases } from './databases/databases.ts'
import { follow, type Follows } from './tools/follow.ts'
import { clearWebsites } from './web/websites.ts'

/** What can be made of an account's part of the machine: what is wanted, or nothing at all. */
export type Aim = HostAccount['desired'] | 'erased'

/**
 * Makes the machine agree with what is wanted of the account, from whatever state it is in, and
 * returns what it can't do. Every step may run twice and may be killed at any line: a later run
 * ends in the same state.
 *
 * @param part the only resources that are looked after, of an account that is known to agree
 *   otherwise: what these need stands already
 */
export async function apply(
  machine: Machine,
  account: HostAccount,
  observe: Observe,
  part?: readonly ResourceName[],
): Promise<Warning[]> {
  const steps = stepsFor(account.desired, account, machine)
  const some = part === undefined ? steps : steps.filter(({ of }) => part.includes(of))
  const lacking = await follow(some, actOn(machine, account), observe)
  // What is told now has to outlast a power cut.
  if (some.some(({ of }) => byTools.has(of))) await machine.commit()
  return lacking
}

// What is changed by others' tools, which leave it to the kernel when it is on the disk.
const byTools: ReadonlySet<ResourceName> = new Set([user.name, quota.name, home.name, cron.name])

/**
 * Undoes a change of an account: `apply` of what was, but a step that fails does not keep the
 * others from being done. Throws the first error at the end.
 */
export async function restore(
  machine: Machine,
  account: HostAccount,
  observe: Observe,
): Promise<void> {
  const { desired } = account
  // A removal stops at the first failure, since each step relies on those before it; it is tried
  // again until all is gone.
  const follows = desired === 'active' || desired === 'suspended' ? mayFollow : undefined
  await follow(stepsFor(desired, account, machine), actOn(machine, account), observe, follows)
  await machine.commit()
}

/** Undoes a create that was begun or done: nothing of the account is left, the home included. */
export async function erase(
  machine: Machine,
  account: HostAccount,
  observe: Observe,
): Promise<void> {
  await follow(stepsFor('erased', account, machine), actOn(machine, account), observe)
  await machine.commit()
}

/** The names of the steps, in their order, of an account that has nothing more than all have. */
export const stepsOf = (aim: Aim): string[] =>
  lists[aim]
    .filter(step => !leaves.includes(step) && !optional.has(step.of))
    .map(({ name }) => name)

// Most accounts have no website that leaves, and many not all resources: each step costs a look at
// the lane's lock.
const stepsFor = (aim: Aim, account: HostAccount, machine: Machine): readonly Step[] =>
  lists[aim].filter(
    step =>
      (account.deleting.length > 0 || !leaves.includes(step)) &&
      optional.get(step.of)?.(machine, account) !== false,
  )

const optional = new Map(
  resources.flatMap(({ name, isNeeded }) => (isNeeded ? [[name, isNeeded] as const] : [])),
)

const actOn =
  (machine: Machine, account: HostAccount) =>
  ({ act }: Step) =>
    act(machine, account)

type Step = { name: string; of: ResourceName; act: Act }

const step = (name: string, of: Resource, act: Act = nothing): Step => ({ name, of: of.name, act })
const nothing: Act = async () => {}
const ensure = (of: Resource): Step => step(of.name, of, of.ensure)
const remove = (of: Resource, name = `remove ${of.name}`): Step => step(name, of, of.remove)

const lock = step('lock', user, ({ users }, account) => users.lock(account))
const unlock = step('unlock', user, ({ users }, account) => users.unlock(account))

// These come only where a website leaves, after nginx has forgotten it, so that no visitor asks for
// what goes; and last, as an undo does not bring the files back.
const forget = step('remove old certificates', certificates, certificates.leave)
const putAway = step('set aside old folders', home, home.leave)
const clearLeft = step('clear old websites', websites, websites.leave)
const leaves = [putAway, forget, clearLeft]

// First nothing can be started any more, then what runs is killed: in the other order a visitor
// could start it again. The folders of websites, to which no name leads any more, go late: visits
// may be in progress. The user goes last: its name tells a second run whose the home is.
const gone = (removeHome: Step): Step[] => [
  lock,
  remove(websites),
  remove(certificates),
  remove(sftp, 'remove keys'),
  remove(php),
  ...leafResources.map(one => remove(one)),
  remove(cron),
  remove(processes, 'end processes'),
  // A process may have made itself a job before it was ended.
  remove(cron, 'remove cron again'),
  ...leafResources.flatMap(one => (one.clear ? [step(`clear ${one.name}`, one, one.clear)] : [])),
  step('lock databases', databases, lockDatabases),
  remove(orphanedFiles),
  remove(slice),
  remove(quota),
  removeHome,
  step('clear websites', websites, clearWebsites),
  // Behind all else, which a MariaDB that is down must not keep.
  remove(databases),
  remove(user),
]

const lists: Record<Aim, readonly Step[]> = {
  // Limits stand before anything runs, PHP before the website that asks it. The user is made
  // locked and the password works at the end, as nothing half made should be looked at.
  active: [
    ...[user, quota, slice, home, databases, php, websites, sftp].map(ensure),
    unlock,
    ...leafResources.map(ensure),
    ensure(cron),
    ...leaves,
  ],
  // The user comes first for a machine that is made again from the rows. Limits and folders
  // follow the rows in a suspended account too, after all that stops it.
  suspended: [
    ensure(user),
    lock,
    ensure(websites),
    step('stop php', php, php.suspend),
    ...leafResources.map(one => step(`stop ${one.name}`, one, one.suspend)),
    step('park cron', cron, cron.suspend),
    step('end processes', processes, processes.suspend),
    step('suspend cron again', cron, cron.suspend),
    ...[databases, quota, slice, home, sftp].map(ensure),
    ...leaves,
  ],
  terminated: gone(remove(home, 'trash home')),
  erased: gone(step('erase home', home, home.erase)),
}

// The steps, by name, that have to be done before one is: nothing opens to the account whose limits
// don't stand, or that a step before it could not close. A folder stays until nobody asks for it.
const needs: Record<string, readonly string[]> = {
  php: ['quota', 'slice'],
  sftp: ['lock'],
  unlock: ['quota', 'slice', 'sftp'],
  cron: ['quota', 'slice'],
  ...Object.fromEntries(leafResources.map(({ name, needs = [] }) => [name, needs])),
  [forget.name]: ['websites'],
  [putAway.name]: ['websites', 'home'],
  [clearLeft.name]: ['websites'],
}

// Whether a step is still done after others have failed. None is without the user, whose name and
// number may be somebody else's then. A website is served without its PHP too, for its files.
const mayFollow: Follows<Step> = ({ name }, failed) =>
  !failed.has(user.name) && !needs[name]?.some(one => failed.has(one))
