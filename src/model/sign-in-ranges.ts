import { z } from 'zod'
import { column, type Db, run, value } from '../db.ts'
import { PanelError } from '../errors.ts'
import { address, cidr } from './cidr.ts'
import type { Owner } from './owners.ts'

// The addresses from which administrators may sign in to the pages. Without a list, all.

/** Each sign-in is compared with all of them. */
const maxRanges = 100

/** The grammar for the command line and the pages. */
export const NewRanges = z.array(cidr).max(maxRanges, `must be at most ${maxRanges} ranges`)

export const listRanges = (db: Db) => column<string>(db)`
  select range::text from panel.sign_in_ranges order by panel.sign_in_ranges.range`

/**
 * Adds ranges to the list, or replaces the list by them, in the caller's transaction; returns the
 * list. Ranges that are on it already may be added again.
 *
 * @throws {PanelError} `invalid` if it becomes too long
 */
export async function changeRanges(
  db: Db,
  { isCleared, added }: { isCleared: boolean; added: readonly string[] },
): Promise<string[]> {
  // One change at a time, so that two together can't make the list too long.
  await run(db)`lock table panel.sign_in_ranges in share row exclusive mode`
  if (isCleared) await run(db)`delete from panel.sign_in_ranges`
  await run(db)`
    insert into panel.sign_in_ranges (range) select unnest(${added}::cidr[])
    on conflict do nothing`
  const ranges = await listRanges(db)
  if (ranges.length <= maxRanges) return ranges
  throw new PanelError('invalid', `The list can have at most ${maxRanges} ranges`)
}

/**
 * Whether an owner of this role may sign in from an address, which may be unknown. Resellers may
 * from anywhere.
 */
export async function maySignInFrom(
  db: Db,
  role: Owner['role'],
  from: string | undefined,
): Promise<boolean> {
  if (role !== 'administrator') return true
  const known = address.safeParse(from).data
  return value<boolean>(db)`
    select not exists (select from panel.sign_in_ranges)
      or exists (select from panel.sign_in_ranges where ${known}::inet <<= range)`
}
