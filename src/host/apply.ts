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
import { follow, type Follows } from './tools/follow.ts'
import { clearWebsites } from './web/websites.ts'

/** The target of an apply: a desired state of the account, or the removal of everything. */
export type Aim = HostAccount['desired'] | 'erased'

/**
 * Makes the machine agree with the account's desired state, from whatever state it is in, and
 * returns what it could not do. Every step may run twice and may be killed at any line: a later run
 * ends in the same state.
 *
 * @param part apply only these resources, for an account that is otherwise known to agree: their
 * prerequisites are already there
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
  // A change that is reported as done must survive a power cut.
  if (some.some(({ of }) => byTools.has(of))) await machine.commit()
  return lacking.flat()
}

// Resources that other programs' tools change, which leave it to the kernel when to write to disk.
const byTools: ReadonlySet<ResourceName> = new Set([user.name, quota.name, home.name, cron.name])

/**
 * Undoes a change of an account: like `apply` of the previous state, but a failed step does not
 * stop the others. Throws the first error at the end.
 */
export async function restore(
  machine: Machine,
  account: HostAccount,
  observe: Observe,
): Promise<void> {
  const { desired } = account
  // A removal stops at the first failure, since each step relies on those before it; it is retried
  // until nothing is left.
  const follows = desired === 'active' || desired === 'suspended' ? mayFollow : undefined
  await follow(stepsFor(desired, account, machine), actOn(machine, account), observe, follows)
  await machine.commit()
}

/** Undoes a create, finished or not: nothing of the account is left, not even the home. */
export async function erase(
  machine: Machine,
  account: HostAccount,
  observe: Observe,
): Promise<void> {
  await follow(stepsFor('erased', account, machine), actOn(machine, account), observe)
  await machine.commit()
}

/** Returns the names of the steps, in order, of an account that has only what all accounts have. */
export const stepsOf = (aim: Aim): string[] =>
  lists[aim]
    .filter(step => !optionalSteps.has(step) && !optional.has(step.of))
    .map(({ name }) => name)

// Most accounts have no website to delete, and many lack some resources: each step costs a check of
// the lane's lock.
const stepsFor = (aim: Aim, account: HostAccount, machine: Machine): readonly Step[] =>
  lists[aim].filter(
    step =>
      optionalSteps.get(step)?.(machine, account) !== false &&
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

// These steps run only when websites are deleted, after nginx has stopped serving them, so that no
// visitor requests a file that is being removed; and last, as an undo does not restore the files.
const forget = step('remove old certificates', certificates, certificates.removeDeleted)
const putAway = step('set aside old folders', home, home.removeDeleted)
const clearOld = step('clear old websites', websites, websites.removeDeleted)
const isDeleting: NonNullable<Resource['hasFormer']> = (_, { deleting }) => deleting.length > 0
// A website that has changed its PHP no longer uses the former one.
const endFormer = step('remove former PHP', php, php.removeFormer)

/** Steps that few accounts need, and when. */
const optionalSteps = new Map<Step, NonNullable<Resource['hasFormer']>>([
  [putAway, isDeleting],
  [forget, isDeleting],
  [clearOld, isDeleting],
  [endFormer, php.hasFormer ?? isDeleting],
])

// First prevent new starts, then kill what runs: in the other order a visitor could start it again.
// The folders of websites go late, when no name leads to them any more: visits may be in progress.
// The user goes last: its name shows a second run who owns the home.
const gone = (removeHome: Step): Step[] => [
  lock,
  remove(websites),
  remove(certificates),
  remove(sftp, 'remove keys'),
  remove(php),
  ...leafResources.map(one => remove(one)),
  remove(cron),
  remove(processes, 'end processes'),
  // A process may have added a job before it was ended.
  remove(cron, 'remove cron again'),
  ...leafResources.flatMap(one => (one.clear ? [step(`clear ${one.name}`, one, one.clear)] : [])),
  step('lock databases', databases, databases.clear),
  remove(orphanedFiles),
  remove(slice),
  remove(quota),
  removeHome,
  step('clear websites', websites, clearWebsites),
  // Last of all: a MariaDB that is down must not stop the rest.
  remove(databases),
  remove(user),
]

const lists: Record<Aim, readonly Step[]> = {
  // Limits are set before anything runs, and PHP before the website that calls it. The user is made
  // locked and its password is enabled at the end, so that no login sees a half-made home.
  active: [
    ...[user, quota, slice, home, databases, php, websites, sftp].map(ensure),
    unlock,
    ...leafResources.map(ensure),
    ensure(cron),
    ...optionalSteps.keys(),
  ],
  // The user comes first, for a machine that is rebuilt from the rows. Limits and folders follow
  // the rows in a suspended account too, after the steps that stop it.
  suspended: [
    ensure(user),
    lock,
    ensure(websites),
    step('stop php', php, php.suspend),
    ...leafResources.map(one => step(`stop ${one.name}`, one, one.suspend)),
    step('suspend cron', cron, cron.suspend),
    step('end processes', processes, processes.suspend),
    step('suspend cron again', cron, cron.suspend),
    ...[databases, quota, slice, home, sftp].map(ensure),
    ...optionalSteps.keys(),
  ],
  terminated: gone(remove(home, 'trash home')),
  erased: gone(step('erase home', home, home.erase)),
}

// The prerequisites of steps, by name: nothing gives access to an account whose limits are not set,
// or that an earlier step could not close. A folder stays until nothing requests it.
const needs: Record<string, readonly string[]> = {
  php: ['quota', 'slice'],
  sftp: ['lock'],
  unlock: ['quota', 'slice', 'sftp'],
  cron: ['quota', 'slice'],
  ...Object.fromEntries(leafResources.map(({ name, needs = [] }) => [name, needs])),
  [forget.name]: ['websites'],
  [putAway.name]: ['websites', 'home'],
  [clearOld.name]: ['websites'],
  [endFormer.name]: ['websites'],
}

// Decides whether a step still runs after others have failed. None runs without the user, whose
// name and number may then belong to something else. A website is served without its PHP too, for
// its files.
const mayFollow: Follows<Step> = ({ name }, failed) =>
  !failed.has(user.name) && !needs[name]?.some(one => failed.has(one))
