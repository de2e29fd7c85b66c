import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

// The page docs/schema.md: diagrams of the tables of a migrated database, by topic.

const folder = join(import.meta.dirname, '../../sql/migrations')

export const file = join(import.meta.dirname, '../../docs/schema.md')

type Column = {
  table: string
  name: string
  type: string
  isRequired: boolean
  isKey: boolean
}

// A reference of one or more columns of `table` to a row of `target`.
type Reference = {
  table: string
  target: string
  columns: string[]
  isRequired: boolean
  isUnique: boolean
}

// The file that creates the tables, each of them with the first sentence of the comment above it.
type Topic = { source: string; tables: Map<string, string> }

const introduction = `# The schema

Made by \`npm run describe:schema\` from the catalog of a migrated database: do not edit.

The tables are grouped by the file in \`sql/migrations/\` that creates them, which has a comment on
each column. A diagram shows a topic's own tables with all columns, and the tables of other topics
that they refer to by name only. All tables are in the schema \`panel\`; the queues have schemas of
their own (\`worker_queue\`, \`courier_queue\`), which belong to Graphile Worker.
`

/** Returns the whole page for the schema `panel` of the database that `pool` is connected to. */
export async function toPage(pool: pg.Pool): Promise<string> {
  const [columns, references] = await Promise.all([readColumns(pool), readReferences(pool)])
  const topics = readTopics()
  const known = new Set(topics.flatMap(({ tables }) => [...tables.keys()]))
  // `src/migrate.ts` creates the tables that it needs before the first migration.
  const others = columns.map(({ table }) => table).filter(table => !known.has(table))
  const migrator = { source: 'src/migrate.ts', tables: new Map(others.map(table => [table, ''])) }
  const sections = [...topics, migrator].map(topic => toSection(topic, columns, references))
  return [introduction, ...sections.filter(section => section !== '')].join('\n')
}

/** Returns the topics in the order of the migration files. */
function readTopics(): Topic[] {
  const names = readdirSync(folder).filter(name => name.endsWith('.sql'))
  return names.sort().map(name => {
    const text = readFileSync(join(folder, name), 'utf8')
    const created = text.matchAll(/((?:^--.*\n)*)^create (?:unlogged )?table panel\.(\w+)/gm)
    const tables = [...created].map(([, comment = '', table]): [string, string] => [
      table!,
      firstSentence(comment),
    ])
    return { source: `sql/migrations/${name}`, tables: new Map(tables) }
  })
}

const firstSentence = (comment: string): string => {
  const text = comment.replaceAll(/^-- ?/gm, '').replaceAll('\n', ' ').trim()
  return /^.*?\.(?= [A-Z`]|$)/.exec(text)?.[0] ?? text
}

async function readColumns(pool: pg.Pool): Promise<Column[]> {
  const { rows } = await pool.query<Column>(`
    select c.relname as table, a.attname as name, a.attnotnull as "isRequired",
      format_type(a.atttypid, null) as type,
      exists (
        select from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'p' and a.attnum = any (k.conkey)) as "isKey"
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'panel'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname, a.attnum`)
  return rows
}

async function readReferences(pool: pg.Pool): Promise<Reference[]> {
  const { rows } = await pool.query<Reference>(`
    select c.conrelid::regclass::text as table, c.confrelid::regclass::text as target,
      columns.names as columns, columns.are_required as "isRequired",
      exists (
        select from pg_constraint k
        where k.conrelid = c.conrelid and k.contype in ('p', 'u')
          and k.conkey <@ c.conkey) as "isUnique"
    from pg_constraint c,
      lateral (
        select array_agg(a.attname::text order by n) as names,
          bool_and(a.attnotnull) as are_required
        from unnest(c.conkey) with ordinality k (number, n)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number) columns
    where c.contype = 'f' and c.connamespace = 'panel'::regnamespace
    order by 1, 3, 2`)
  const bare = (name: string) => name.replace(/^panel\./, '')
  return rows.map(row => ({ ...row, table: bare(row.table), target: bare(row.target) }))
}

function toSection({ source, tables }: Topic, columns: Column[], references: Reference[]): string {
  if (tables.size === 0) return ''
  const [, title = ''] = /(?:\d+-)?([^/]*)\.\w+$/.exec(source) ?? []
  const heading = title.replaceAll('-', ' ').replace(/^./, first => first.toUpperCase())
  const own = references.filter(({ table }) => tables.has(table))
  const isReference = (column: Column) =>
    own.some(({ table, columns }) => table === column.table && columns.includes(column.name))
  const entities = [...tables.keys()].map(table => {
    const lines = columns.filter(column => column.table === table)
    return `  ${table} {\n${lines.map(line => toLine(line, isReference(line))).join('')}  }\n`
  })
  return [
    `## ${heading}\n`,
    `\`${source}\`\n`,
    [...tables].map(toItem).join(''),
    `\`\`\`mermaid\nerDiagram\n${own.map(toArrow).join('')}${entities.join('')}\`\`\`\n`,
  ].join('\n')
}

const toItem = ([table, sentence]: [string, string]): string =>
  sentence === '' ? `- \`${table}\`\n` : `- \`${table}\`: ${sentence}\n`

function toLine({ name, type, isRequired, isKey }: Column, isReference: boolean): string {
  const keys = [...(isKey ? ['PK'] : []), ...(isReference ? ['FK'] : [])].join(', ')
  const words = [typeName(type), name, keys, isRequired ? '' : '"nullable"']
  return `    ${words.filter(word => word !== '').join(' ')}\n`
}

// Mermaid takes a type of one word.
const typeName = (type: string): string =>
  type
    .replace('timestamp with time zone', 'timestamptz')
    .replace('double precision', 'float8')
    .replaceAll(' ', '_')

// Crow's feet: how many rows of the table refer to a row of the target, and the other way round.
function toArrow({ table, target, columns, isRequired, isUnique }: Reference): string {
  const many = isUnique ? '|o' : '}o'
  return `  ${table} ${many}--${isRequired ? '||' : 'o|'} ${target} : "${columns.join(', ')}"\n`
}
