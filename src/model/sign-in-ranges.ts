import { z } from 'zod'
import { transaction, type Db, type Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import { address, cidr } from './cidr.ts'
import type { Owner } from './owners.ts'

// Where administrators may sign in to the pages from. Without a list: from anywhere.

/** Each sign-in is compared with all of them. */
const maxRanges = 100

/** The grammar of the command line and of the pages. */
export const NewRanges = z.array(cidr).max(maxRanges, `must be at most ${maxRanges} ranges`)

/** The list, in the order of the addresses. */
export async function listRanges(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ range: string }>(
    'select range::text from panel.sign_in_ranges order by panel.sign_in_ranges.range',
  )
  return rows.map(({ range }) => range)
}

/**
 * Adds to the list, or makes another list of what is given; both at once, or not at all. Tells the
 * list. What is on it already may be added again.
 *
 * @throws {PanelError} `invalid` where it becomes too long
 */
export async function changeRanges(
  pool: Pool,
  { isCleared, added }: { isCleared: boolean; added: readonly string[] },
): Promise<string[]> {
  return transaction(pool, async db => {
    // One change after the other, so that none makes the list too long.
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
 * Whether somebody of this role may sign in from an address, which nobody may know. The list is for
 * administrators; resellers come from anywhere.
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
