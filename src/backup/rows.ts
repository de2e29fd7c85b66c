import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { once } from 'node:events'
import { from, to } from 'pg-copy-streams'
import type pg from 'pg'
import { z } from 'zod'
import { all } from '../db.ts'
import type { Sink } from './archive-reader.ts'

// The rows of schema `panel`, table by table in COPY's format: the embedded PostgreSQL has no
// pg_dump. The queues are left out: they only wake workers, and the rows record what is due.

export const Table = z.object({
  name: z.string().regex(/^[a-z_]+$/),
  columns: z.array(z.string().regex(/^[a-z0-9_]+$/)).min(1),
})

export type Table = z.infer<typeof Table>

export const Sequence = z.object({
  name: z.string().regex(/^[a-z_]+$/),
  // As text: JSON's numbers can't hold every bigint.
  last_value: z.string().regex(/^[0-9]+$/),
})

export type Sequence = z.infer<typeof Sequence>

/** The names in a backup of the list of tables, of a table's rows and of the sequences. */
export const tablesName = 'rows/tables.json'
export const rowsName = ({ name }: Pick<Table, 'name'>): string => `rows/${name}`
export const sequencesName = 'rows/sequences.json'

/**
 * Returns the tables to keep, each after those that it refers to. Unlogged ones, which a crash may
 * empty, are left out, and so are those in which the migrator records its own work.
 */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const rows = await all<Table & { refers_to: string[] }>(client)`
    select c.relname as name,
      (select array_agg(a.attname::text order by a.attnum)
       from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         and a.attgenerated = '') as columns,
      (select coalesce(array_agg(f.relname::text), '{}')
       from pg_constraint k join pg_class f on f.oid = k.confrelid
       where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid) as refers_to
    from pg_class c
    where c.relnamespace = 'panel'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
      and c.relname not in ('migrations', 'installed_functions')
    order by c.relname`
  const ordered: Table[] = []
  const add = (name: string) => {
    const table = rows.find(row => row.name === name)
    if (table === undefined || ordered.some(known => known.name === name)) return
    table.refers_to.forEach(add)
    ordered.push({ name, columns: table.columns })
  }
  for (const { name } of rows) add(name)
  return ordered
}

/** Returns the values of all sequences. Read last, so that no row has a number beyond them. */
export const listSequences = (client: pg.Client) => all<Sequence>(client)`
  select sequencename as name, last_value::text
  from pg_sequences
  where schemaname = 'panel' and last_value is not null
  order by sequencename`

/** Reads the rows of a table in COPY's format. */
export const readRows = (client: pg.Client, table: Table): AsyncIterable<Buffer> =>
  client.query(to(`copy ${described(table)} to stdout`))

/** Writes rows in COPY's format. */
export function writeRows(client: pg.Client, table: Table): Sink {
  const target: Writable = client.query(from(`copy ${described(table)} from stdin`))
  const ended = finished(target)
  // Awaited by write() or end(); until then a rejection must not count as unhandled.
  ended.catch(() => undefined)
  return {
    async write(part) {
      if (!target.write(part)) await Promise.race([once(target, 'drain'), ended])
    },
    async end() {
      target.end()
      await ended
    },
  }
}

const described = ({ name, columns }: Table): string =>
  `panel."${name}" (${columns.map(column => `"${column}"`).join(', ')})`
