import type { AccountRecord } from '../model/accounts.ts'
import { event, type Event, type EventData, type EventName } from '../model/events.ts'
import { toHostAccount, type HostAccount } from '../model/host-account.ts'
import type * as operations from '../model/operations.ts'
import type { Context } from './task.ts'

// What a task file says of its operation: the work, what it leaves, and how it is undone.

/** What an operation's work is given: the account as its rows say, judged for the machine. */
export type Work = {
  record: AccountRecord
  /** How the operation came about, for what has to be judged again. */
  asked: Pick<operations.Started, 'epoch' | 'foundSuspendedBy' | 'ownerRole'>
  /** Tells what the server cannot enforce for the account. */
  apply: () => Promise<string[]>
  restore: () => Promise<void>
  erase: () => Promise<void>
  /** The account as the machine may see it, and what else the work of certificates needs. */
  account: HostAccount
  operationId: string
  context: Context
}

/** What it leaves: the account as it is now, and the events of what has really changed. */
export type Done = {
  status: 200 | 201
  location?: string
  record: AccountRecord
  events: Announcement[]
  /** When the machine agreed; left out where no column shows it. */
  changedAt?: Date
  /** Nothing was to be done: the account's row stays as it is. */
  isUnchanged?: boolean
}

/** What an operation leaves that finds the account as it is wanted (api.md, States). */
export const unchanged = (record: AccountRecord): Done => ({
  status: 200,
  record,
  events: [],
  isUnchanged: true,
})

/** An event whose bytes are made when it is recorded. */
export type Announcement = (about: { server: string; time: Date }) => Event

export const announce =
  <Name extends EventName>(name: Name, data: EventData<Name>): Announcement =>
  about =>
    event(name, data, about)

export type Definition = {
  work: (work: Work) => Promise<Done>
  /** Makes the machine what it was; may run twice. Without it the work is tried until done. */
  undo?: (work: Work) => Promise<unknown>
  /** Whether it may end half undone: an `account/apply` is tried then until one is done. */
  mayEndHalfUndone?: boolean
}

/** For operations whose whole work is that the machine follows the row; the state stays. */
export const reapply: Definition = {
  async work({ record, apply }) {
    const warnings = await apply()
    return { status: 200, record: { ...record, warnings }, events: [] }
  },
  undo: ({ restore }) => restore(),
  mayEndHalfUndone: true,
}

/** One start of one operation. */
export type Run = {
  id: string
  context: Context
  definition: Definition
  started: operations.Started
  /** Those that have ended so far. */
  steps: operations.Step[]
}

/** The account as the machine may see it; a row that does not fit its grammar is refused here. */
export function toWork(
  { id: operationId, context, started }: Run,
  record: AccountRecord,
  passwordHash: string | null,
): Work {
  const account = toHostAccount(record, passwordHash)
  const { host, observe } = context
  return {
    record,
    asked: started,
    apply: () => host.apply(account, observe),
    restore: () => host.restore(account, observe),
    erase: () => host.erase(account, observe),
    account,
    operationId,
    context,
  }
}
