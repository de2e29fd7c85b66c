import { log } from '../log.ts'
import {
  account,
  held,
  toAccount,
  unknown,
  type AccountRecord,
} from '../model/accounts/accounts.ts'
import { toHostAccount, type HostAccount } from '../model/accounts/host-account.ts'
import type { ResourceName } from '../model/server/host.ts'
import type { TaskName } from '../model/operations/operation-names.ts'
import type { AccountSubject } from '../model/operations/operations.ts'
import { suspendedParts, type HostSecrets } from '../model/operations/resource-kinds.ts'
import { isOfService, merge, type WarningRow } from '../model/accounts/warnings.ts'
import { operation } from './operation.ts'
import type { Done, Run } from './operation-types.ts'
import type { Task } from './task.ts'

// Operations of an account, and of what belongs to one: the machine is made to agree with its rows.

/** What the resource kind's function has found at the start. */
type Seen = HostSecrets & {
  /** Null where the account is gone. */
  account: AccountRecord | null
  /** Whether the machine was known to agree before. */
  wasApplied: boolean
  /** Why what is wanted cannot be, where a row asks for what the schema forbids. */
  error: string | null
  /** Whether an administrator has suspended the account meanwhile, which forbids it. */
  isHeld: boolean
}

export type AccountWork<About = unknown> = Run &
  Omit<Seen, 'account' | 'error' | 'isHeld'> & {
    record: AccountRecord
    /** What its resource kind says of the resource that it is about. */
    about: About
    account: HostAccount
    /**
     * Makes the machine agree; tells what the server cannot enforce for the account.
     *
     * @param part the only resources that differ, where that is known
     */
    apply: (part?: Part) => Promise<WarningRow[]>
    /** Answers with the account as it is now. */
    leave: (after: AccountRecord, more?: Partial<Done>) => Done
  }

type Part = readonly ResourceName[]

type AccountDefinition<About> = {
  subject?: AccountSubject<About>
  /** The resources that it concerns, if not all; the machine agrees with the others. */
  part?: Part | ((record: AccountRecord) => Part | undefined)
  work: (work: AccountWork<About>) => Promise<Done>
  /** Restores what was, or leaves nothing of a create. */
  undo?: 'restore' | 'erase' | 'only forward'
}

/** A task file's default export: the operation of that name. */
export function accountOperation<About>(
  name: TaskName,
  definition: AccountDefinition<About>,
): Task {
  const { subject, undo = 'restore', work } = definition
  return operation(name, {
    subject: subject ?? account,
    work: async run => {
      const { account, error, isHeld } = run.started.seen as Seen
      if (account === null || account.state === 'terminated') {
        throw unknown(run.started.username ?? '')
      }
      if (isHeld) throw held()
      if (error !== null) throw new Error(error)
      return work(toWork(run, account, definition))
    },
    undo: undo === 'only forward' ? undo : run => undoOn(run, undo),
    mayEndHalfUndone: undo === 'restore',
  })
}

/**
 * What a suspended account has otherwise than an active one, and the home, which its user may have
 * changed below it. One that lacks something is looked after as a whole: a warning goes once its
 * cause is gone.
 */
export const suspendable = ({ warnings }: AccountRecord): Part | undefined =>
  warnings.length === 0
    ? ['user', 'home', 'php', 'cron', 'processes', ...suspendedParts]
    : undefined

/** Answers with the account as it was found: there is nothing to do. */
export const unchanged = ({ record }: AccountWork): Done => ({
  status: 200,
  answer: toAccount(settled(record)),
  change: null,
  events: [],
})

/** The work of operations that only have the machine follow the rows; the state stays. */
export async function reapply({ record, apply, leave }: AccountWork, part?: Part): Promise<Done> {
  return leave({ ...record, warnings: await apply(part) })
}

async function undoOn(run: Run, undo: 'restore' | 'erase'): Promise<void> {
  const { account, wasApplied, ...secrets } = run.started.seen as Seen
  if (account === null || account.state === 'terminated') return
  // Only what was never more than begun is erased.
  if (undo === 'erase' && account.state !== 'provisioning') return
  // The machine still agrees with what was found.
  const { state, starts } = run.started
  if (wasApplied && state === 'running' && starts === 1 && run.steps.length === 0) return
  let hostAccount: HostAccount
  try {
    hostAccount = toHostAccount(account, secrets)
  } catch (error) {
    // No step was ever given a row that does not fit: there is nothing to be erased.
    if (undo === 'erase') return
    throw error
  }
  const { host, observe } = run.context
  await host[undo](hostAccount, observe)
}

function toWork<About>(
  run: Run,
  record: AccountRecord,
  { subject, part }: AccountDefinition<About>,
): AccountWork<About> {
  const seen = run.started.seen as Seen
  const { host, observe, watch } = run.context
  // A row that does not fit the grammar of the machine is refused here.
  const account = toHostAccount(record, seen)
  return {
    ...run,
    ...seen,
    record,
    account,
    // Without a resource kind of its own it is about nothing else.
    about: subject?.about.parse(seen) as About,
    apply: async (own = typeof part === 'function' ? part(record) : part) => {
      const some = seen.wasApplied ? own : undefined
      const found = await host.apply(account, observe, some)
      // What the other parts lack is known from before.
      const warnings = some === undefined ? merge(found) : merge(record.warnings, found)
      // Those of services are not the account's own, and end without an operation of it.
      if (warnings.some(isOfService)) {
        await watch(warnings).catch(error => log.error('a check of services failed', error))
      }
      return warnings
    },
    leave: (after, more) => {
      const changedAt = more?.changedAt ?? new Date()
      const warnings = after.warnings.filter(warning => !isOfService(warning))
      const change = { state: after.state, warnings, changed_at: changedAt }
      const answer = toAccount(settled(after))
      return { status: 200, answer, change, events: [], changedAt, ...more }
    },
  }
}

// The suspension and the websites as they are once the operation has ended.
const settled = (record: AccountRecord): AccountRecord => ({
  ...record,
  suspension:
    record.state === 'suspended' ? { reason: record.suspendReason, by: record.suspendedBy } : null,
  sites: record.sites
    .filter(({ desired }) => desired === 'present')
    .map(site => ({ ...site, isNew: false })),
})
