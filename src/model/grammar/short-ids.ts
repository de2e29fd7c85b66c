import { z } from 'zod'
import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'

// UUIDs may be abbreviated to their beginnings, as lists with little room show them.

const full = '00000000-0000-0000-0000-000000000000'
const filled = (start: string, digit: string): string =>
  start + full.slice(start.length).replaceAll('0', digit)

/** Returns whether a text is a UUID or at least its first 8 characters. */
export const isIdStart = (text: string): boolean =>
  text.length >= 8 && z.guid().safeParse(filled(text, '0')).success

/**
 * Returns the only row whose id begins with a text; undefined if there is none.
 *
 * @throws {PanelError} `invalid` if there is more than one
 */
export async function findId(
  db: Db,
  tables: readonly ('operations' | 'deliveries' | 'webhooks')[],
  start: string,
): Promise<string | undefined> {
  const of = (table: string) => `select id from panel.${table} where id between $1 and $2`
  const { rows } = await db.query<{ id: string }>(`${tables.map(of).join(' union all ')} limit 2`, [
    filled(start, '0'),
    filled(start, 'f'),
  ])
  if (rows.length > 1) throw new PanelError('invalid', `More than one id begins with ${start}`)
  return rows[0]?.id
}
