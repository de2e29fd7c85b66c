import { z } from 'zod'
import type { Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'

// UUIDs may be given by their beginnings, as lists show them where they have little room.

const full = '00000000-0000-0000-0000-000000000000'
const filled = (start: string, digit: string): string =>
  start + full.slice(start.length).replaceAll('0', digit)

/** A UUID, or its first 8 characters at least. */
export const isIdStart = (text: string): boolean =>
  text.length >= 8 && z.guid().safeParse(filled(text, '0')).success

/**
 * The one row whose id begins so; undefined where there is none.
 *
 * @throws {PanelError} `invalid` where there is more than one
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
