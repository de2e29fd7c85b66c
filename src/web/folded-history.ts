import type { Pool } from '../db.ts'
import { type Caused, type Entry, listCaused } from '../model/history/history.ts'
import type { Caller } from '../model/signing-in/callers.ts'

// The history for people: what the panel does by itself is folded into the change that caused it,
// and consecutive lines of the same automatic operation, of one retry of many jobs, or of sign-ins
// of one person from one address, into one.

/** A line of the history with what is folded into it. */
export type FoldedEntry = Entry & {
  /** The operations that it has caused. */
  caused?: Caused | undefined
  /** Earlier lines of the same kind. */
  others: Entry[]
}

/** Folds lines that the caller sees, in the order of the list. */
export async function foldHistory(
  { pool, caller }: { pool: Pool; caller: Caller },
  entries: readonly Entry[],
): Promise<FoldedEntry[]> {
  const ids = entries.flatMap(({ operation, channel }) =>
    operation === null || channel === 'panel' ? [] : [operation],
  )
  const caused = ids.length === 0 ? [] : await listCaused(pool, caller, ids)
  const byCause = new Map(caused.map(one => [one.cause, one]))
  const folded: FoldedEntry[] = []
  for (const entry of entries) {
    const last = folded.at(-1)
    if (last !== undefined && isSame(last, entry)) last.others.push(entry)
    else folded.push({ ...entry, caused: byCause.get(entry.operation ?? ''), others: [] })
  }
  return folded
}

// A different outcome stays visible on a line of its own.
const isSame = (one: Entry, other: Entry): boolean =>
  one.action === other.action &&
  one.outcome === other.outcome &&
  one.who === other.who &&
  (isAutomatic(one)
    ? isAutomatic(other)
    : isTogether(one, other) || (isSignIn(one) && one.address === other.address))

const isAutomatic = ({ channel, operation }: Entry): boolean =>
  channel === 'panel' && operation !== null

// Sign-ins of one person from one address, also as a customer.
const isSignIn = ({ action }: Entry): boolean =>
  ['session/open', 'session/open-as', 'session/open-by-link'].includes(action)

// Changes of one transaction, such as the retry of many jobs, have one time.
const isTogether = (one: Entry, other: Entry): boolean =>
  one.operation === null && other.operation === null && one.at.getTime() === other.at.getTime()
