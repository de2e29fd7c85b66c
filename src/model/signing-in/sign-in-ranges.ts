import { z } from 'zod'
import { anyFirst, type Db, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { address, cidr } from '../grammar/cidr.ts'
import type { Operator } from '../sellers/operators.ts'

// The addresses from which administrators may sign in to the pages. Without a list, all may.

/** Each sign-in is compared with all of them. */
const maxRanges = 100

/** The grammar for the command line and the pages. */
export const NewRanges = z.array(cidr).max(maxRanges, `must be at most ${maxRanges} ranges`)

export const listRanges = (db: Db) => anyFirst<string>(db)`
  select range::text from panel.sign_in_ranges order by panel.sign_in_ranges.range`

/**
 * Adds ranges to the list, or replaces the list by them, in the caller's transaction; returns the
 * list. Ranges that are already on it may be added again.
 *
 * @throws {PanelError} `invalid` if it becomes too long, or locks out the caller
 */
export async function changeRanges(
  db: Db,
  { isCleared, added }: { isCleared: boolean; added: readonly string[] },
  /** The address of the caller on a page; root is never locked out. */
  by?: { address: string | null },
): Promise<string[]> {
  const ranges = await oneFirst<string[] | null>(db)`
    select panel.change_sign_in_ranges(${isCleared}, ${added}::cidr[], ${maxRanges})`
  if (ranges === null) throw tooLong()
  if (by === undefined || (await maySignInFrom(db, 'administrator', by.address ?? undefined))) {
    return ranges
  }
  const here = by.address === null ? 'where you are' : `${by.address}, where you are`
  throw new PanelError('invalid', `The list would lock you out: add ${here}`, { field: 'ranges' })
}

const tooLong = () =>
  new PanelError('invalid', `The list can have at most ${maxRanges} ranges`, { field: 'ranges' })

/**
 * Returns whether an operator of this role may sign in from an address, which may be unknown.
 * Resellers may from anywhere.
 */
export async function maySignInFrom(
  db: Db,
  role: Operator['role'],
  from: string | undefined,
): Promise<boolean> {
  if (role !== 'administrator') return true
  const known = address.safeParse(from).data
  return oneFirst<boolean>(db)`
    select not exists (select from panel.sign_in_ranges)
      or exists (select from panel.sign_in_ranges where ${known}::inet <<= range)`
}
