import { log } from '../log.ts'
import {
  account,
  suspendedByAdmin,
  toAccount,
  unknown,
  type AccountRecord,
} from '../model/accounts/accounts.ts'
import { toHostAccount, type HostAccount } from '../model/accounts/host-account.ts'
import { recordKeys } from '../model/mail/mail-domains.ts'
import type { ResourceName } from '../model/server/host.ts'
import type { TaskName } from '../model/operations/operation-names.ts'
import type { AccountSubject } from '../model/operations/operations.ts'
import { suspendedParts, type HostSecrets } from '../model/operations/resource-kinds.ts'
import { isOfService, merge, type WarningRow } from '../model/accounts/warnings.ts'
import { operation } from './operation.ts'
import type { Done, Run } from './operation-types.ts'
import type { Task } from './task.ts'

// Operations of an account and its resources, which make the machine agree with its rows.

/** The values that the resource kind's function found at the start. */
type Seen = HostSecrets & {
  /** Null if the account is gone. */
  account: AccountRecord | null
  /** Whether the machine was known to agree before. */
  wasApplied: boolean
  /** Why the desired state is impossible, if a row asks for something that the schema forbids. */
  error: string | null
  /** Whether an administrator has suspended the account meanwhile, which forbids it. */
  isSuspendedByAdmin: boolean
}

export type AccountWork<About = unknown> = Run &
  Omit<Seen, 'account' | 'error' | 'isSuspendedByAdmin'> & {
    record: AccountRecord
    /** The resource that it is about, from its resource kind. */
    about: About
    account: HostAccount
    /**
     * Makes the machine agree; returns what the server cannot enforce for the account.
     *
     * @param part the only resources that differ, if known
     */
    apply: (part?: Part) => Promise<WarningRow[]>
    /** Answers with the account as it is now. */
    finish: (after: AccountRecord, more?: Partial<Done>) => Done
  }

type Part = readonly ResourceName[]

type AccountDefinition<About> = {
  subject?: AccountSubject<About>
  /** The resources that it concerns, if not all; the machine agrees with the others. */
  part?: Part | ((record: AccountRecord) => Part | undefined)
  /**
   * Refuses rows that changes which were decided at the same moment have together: before they are
   * parsed for the machine.
   */
  refuse?: (parts: HostSecrets['parts'], about: About) => void
  work: (work: AccountWork<About>) => Promise<Done>
  /** Restores the earlier state, or erases what a create has begun. */
  undo?: 'restore' | 'erase' | 'only forward'
}

/** Defines the operation of a task file, as its default export. */
export function accountOperation<About>(
  name: TaskName,
  definition: AccountDefinition<About>,
): Task {
  const { subject, undo = 'restore', work } = definition
  return operation(name, {
    subject: subject ?? account,
    work: async run => {
      const { account, error, isSuspendedByAdmin } = run.started.seen as Seen
      if (account === null || account.state === 'terminated') {
        throw unknown(run.started.username ?? '')
      }
      if (isSuspendedByAdmin) throw suspendedByAdmin()
      if (error !== null) throw new Error(error)
      return work(toWork(run, account, definition))
    },
    undo: undo === 'only forward' ? undo : run => undoOn(run, undo),
    mayEndHalfUndone: undo === 'restore',
  })
}

/**
 * Returns the parts that a suspension changes, and the home, in which the user may have changed
 * files. An account with a warning is applied as a whole: the warning ends once its cause is gone.
 */
export const suspendable = ({ warnings }: AccountRecord): Part | undefined =>
  warnings.length === 0
    ? ['user', 'home', 'php', 'mail', 'cron', 'processes', ...suspendedParts]
    : undefined

/** Answers with the account as it was found: there is nothing to do. */
export const unchanged = ({ record }: AccountWork): Done => ({
  status: 200,
  answer: toAccount(asCompleted(record)),
  change: null,
  events: [],
})

/** The work of operations that only make the machine follow the rows; the state stays the same. */
export async function reapply({ record, apply, finish }: AccountWork, part?: Part): Promise<Done> {
  return finish({ ...record, warnings: await apply(part) })
}

async function undoOn(run: Run, undo: 'restore' | 'erase'): Promise<void> {
  const { account, wasApplied, ...secrets } = run.started.seen as Seen
  if (account === null || account.state === 'terminated') return
  // Erases only an account whose create never finished.
  if (undo === 'erase' && account.state !== 'provisioning') return
  // The machine still agrees with the values found before.
  const { state, starts } = run.started
  if (wasApplied && state === 'running' && starts === 1 && run.steps.length === 0) return
  let hostAccount: HostAccount
  try {
    hostAccount = toHostAccount(account, secrets)
  } catch (error) {
    // No step ran with an invalid row: there is nothing to erase.
    if (undo === 'erase') return
    throw error
  }
  const { host, observe } = run.context
  await host[undo](hostAccount, observe)
}

function toWork<About>(
  run: Run,
  record: AccountRecord,
  { subject, part, refuse }: AccountDefinition<About>,
): AccountWork<About> {
  const seen = run.started.seen as Seen
  const { pool, host, observe, watch } = run.context
  // Without a resource kind it is about the account only.
  const about = subject?.about.parse(seen) as About
  refuse?.(seen.parts, about)
  // Throws if a row does not match the grammar of the machine.
  const account = toHostAccount(record, seen)
  return {
    ...run,
    ...seen,
    record,
    account,
    about,
    apply: async (own = typeof part === 'function' ? part(record) : part) => {
      const some = seen.wasApplied ? own : undefined
      const found = await host.apply(account, observe, some)
      await recordKeys(pool, host, account.mail)
      // The warnings of the other parts are known from before.
      const warnings = some === undefined ? merge(found) : merge(record.warnings, found)
      // Warnings about services are not the account's own, and end without an operation on it.
      if (warnings.some(isOfService)) {
        await watch(warnings).catch(error => log.error('a check of services failed', error))
      }
      return warnings
    },
    finish: (after, more) => {
      const changedAt = more?.changedAt ?? new Date()
      const warnings = after.warnings.filter(warning => !isOfService(warning))
      const change = { state: after.state, warnings, changed_at: changedAt }
      const answer = toAccount(asCompleted(after))
      return { status: 200, answer, change, events: [], changedAt, ...more }
    },
  }
}

// Returns the record with the suspension and the websites as they will be after the operation.
const asCompleted = (record: AccountRecord): AccountRecord => ({
  ...record,
  suspension:
    record.state === 'suspended' ? { reason: record.suspendReason, by: record.suspendedBy } : null,
  sites: record.sites
    .filter(({ desired }) => desired === 'present')
    .map(site => ({ ...site, isNew: false })),
})
