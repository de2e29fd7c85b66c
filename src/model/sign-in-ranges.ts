import { z } from 'zod'
import { transaction, type Db, type Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import { address, cidr } from './cidr.ts'
import type { Owner } from './owners.ts'

// The addresses from which administrators may sign in to the pages. Without a list, all.

/** Each sign-in is compared with all of them. */
const maxRanges = 100

/** The grammar for the command line and the pages. */
export const NewRanges = z.array(cidr).max(maxRanges, `must be at most ${maxRanges} ranges`)

export async function listRanges(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ range: string }>(
    'select range::text from panel.sign_in_ranges order by panel.sign_in_ranges.range',
  )
  return rows.map(({ range }) => range)
}

/**
 * Adds ranges to the list, or replaces the list by them, in one transaction; returns the list.
 * Ranges that are on it already may be added again.
 *
 * @throws {PanelError} `invalid` if it becomes too long
 */
export async function changeRanges(
  pool: Pool,
  { isCleared, added }: { isCleared: boolean; added: readonly string[] },
): Promise<string[]> {
  return transaction(pool, async db => {
    // One change at a time, so that two together can't make the list too long.
    await db.query('lock table panel.sign_in_ranges in share row exclusive mode')
    if (isCleared) await db.query('delete from panel.sign_in_ranges')
    await db.query(
      `insert into panel.sign_in_ranges (range) select unnest($1::cidr[])
       on conflict do nothing`,
      [added],
    )
    const ranges = await listRanges(db)
    if (ranges.length <= maxRanges) return ranges
    throw new PanelError('invalid', `The list can have at most ${maxRanges} ranges`)
  })
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
  const { rows } = await db.query<{ may: boolean }>(
    `select not exists (select from panel.sign_in_ranges)
       or exists (select from panel.sign_in_ranges where $1::inet <<= range) as may`,
    [address.safeParse(from).data ?? null],
  )
  return rows[0]?.may === true
}
