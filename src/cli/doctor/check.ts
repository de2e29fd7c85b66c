import type { Pool } from '../../db.ts'
import { hasKernel } from '../../host/accounts/user-processes.ts'
import type { Machine } from '../../host/contract.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { type Concern, listRowConcerns, type RowCheck } from '../../model/server/concerns.ts'
import type { Remedy } from '../../model/server/remedies.ts'
import type { Rebuildable } from '../../model/jobs/rebuilds.ts'
import type { Found } from '../find-panel.ts'

// A check covers one thing that can be wrong, with a name and advice.

/** Skipped checks cannot run now or do not apply here; they are listed and are no fault. */
export type State = 'ok' | 'warning' | 'failure' | 'skipped'

export type Finding = {
  state: State
  /** The result. */
  sentence: string
  /** The remedy, unless all is well. */
  advice?: string
  /** Fixes the problem if that is safe, and returns what was done. */
  fix?: () => string | Promise<string>
  /** The operations that fix it, or the pages that show more, for the page of the server. */
  remedies?: Remedy[]
}

export type Check = {
  /** `group/what`. */
  name: string
  run: (panel: DoctorContext) => Finding | Promise<Finding>
}

/** The checks of a group, by what they examine. */
export type Checks = Record<string, Check['run']>

/** The objects that a check examines. */
export type DoctorContext = Found & {
  machine: Machine
  /** Whether this process may examine everything. */
  isRoot: boolean
  /** The database, as the owner of the schema; what needs it is skipped where it is down. */
  db: () => Promise<Pool>
  /** The accounts that can be rebuilt, as their rows say. */
  rows: () => Promise<Rebuildable[]>
  /** The accounts with valid rows, which the machine must match. */
  accounts: () => Promise<HostAccount[]>
}

/** Returns the rows that need attention, by the list that pages and /metrics show too. */
export async function findConcerns(
  { db }: DoctorContext,
  check: RowCheck,
  { isWell, advice }: { isWell: string; advice: (first: Concern) => string },
): Promise<Finding> {
  const concerns = await listRowConcerns(await db(), check)
  const [first] = concerns
  if (first === undefined) return well(isWell)
  const words = list(concerns.map(({ subject, detail }) => `${subject}: ${detail}`))
  const isFailure = concerns.some(({ state }) => state === 'failure')
  return isFailure ? failure(words, advice(first)) : warning(words, advice(first))
}

/** Thrown where a check cannot look. */
export class Skip extends Error {
  override readonly name = 'Skip'
}

export const well = (sentence: string): Finding => ({ state: 'ok', sentence })

export const skipped = (sentence: string): Finding => ({ state: 'skipped', sentence })

type Fix = Finding['fix']

export const warning = (sentence: string, advice: string, fix?: Fix): Finding =>
  found('warning', sentence, advice, fix)

export const failure = (sentence: string, advice: string, fix?: Fix): Finding =>
  found('failure', sentence, advice, fix)

/** Adds to a finding what fixes it from the page of the server. */
export const fixedBy = (finding: Finding, ...remedies: Remedy[]): Finding => ({
  ...finding,
  remedies,
})

/** Adds to a finding the command of what only root can do. */
export const fixedByRoot = (finding: Finding, command: string): Finding =>
  fixedBy(finding, { do: 'run', command })

/** Returns the remedies of a finding about these accounts, for the first of them. */
export const rebuilds = (usernames: readonly string[]): Remedy[] =>
  usernames.slice(0, maxNames).map(username => ({ do: 'rebuild-account', username }))

const found = (state: State, sentence: string, advice: string, fix: Fix): Finding => ({
  state,
  sentence,
  advice,
  ...(fix === undefined ? {} : { fix }),
})

/** @throws {Skip} on a sandbox, where nothing runs */
export function requireKernel({ machine }: DoctorContext): void {
  if (!hasKernel(machine)) throw new Skip('Not available on the sandbox host')
}

/** @throws {Skip} for an ordinary user of a real machine, who may not see it */
export function requireRoot({ machine, isRoot }: DoctorContext): void {
  if (machine.tools.areRequired && !isRoot) throw new Skip('Only root can check this')
}

// The maximum number of names in a sentence: more would hide the next check.
const maxNames = 5

/** Returns a list for a sentence, cut if it is long. */
export function list(names: readonly string[]): string {
  const more = names.length - maxNames
  return `${names.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Formats a count with its unit. */
export const count = (number: number, singular: string): string =>
  `${number} ${singular}${number === 1 ? '' : 's'}`

/** Formats a duration in whole units. */
export function duration(seconds: number): string {
  if (seconds < 120) return count(Math.round(seconds), 'second')
  if (seconds < 7_200) return count(Math.round(seconds / 60), 'minute')
  if (seconds < 172_800) return count(Math.round(seconds / 3_600), 'hour')
  return count(Math.round(seconds / 86_400), 'day')
}
