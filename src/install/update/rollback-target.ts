import { join } from 'node:path'
import { anyFirst, type Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { isFolder } from '../../host/tools/files.ts'
import { readHistory } from './journal.ts'
import { folderOf } from './releases.ts'

/**
 * Returns the release that a rollback returns to.
 *
 * @throws {PanelError} `invalid`, if there is none
 */
export function requirePrevious(): string {
  const [previous] = readHistory().previous
  if (previous !== undefined && isFolder(folderOf(previous))) return previous
  throw new PanelError('invalid', 'There is no earlier release to roll back to')
}

/** The operations, tasks and desired states that a release knows, from its own code. */
export type Known = {
  operations: readonly string[]
  /** Desired states that rows may have, by table. */
  desired: Readonly<Record<string, readonly string[]>>
}

/** Returns what a release knows, from its own tables. */
export async function knownTo(version: string): Promise<Known> {
  const read = (name: string): Promise<unknown> =>
    import(join(folderOf(version), 'src/model/operations', `${name}.ts`))
  const { operationNames } = (await read('operation-names')) as { operationNames: object }
  const { desiredStates } = (await read('desired-states')) as { desiredStates: Known['desired'] }
  return { operations: Object.keys(operationNames), desired: desiredStates }
}

/**
 * Refuses while something is unfinished that the earlier release does not know.
 *
 * @returns a sentence about finished work that it will ignore
 *
 * @throws {PanelError} `busy`, with the list
 */
export async function requireKnownWork(
  db: Db,
  version: string,
  known: Known,
): Promise<string | undefined> {
  const operations = await anyFirst<string>(db)`
    select name || ' ' || coalesce(username, 'of the server') || ' (' || state || ')'
    from panel.operations
    where state in ('claimed', 'blocked', 'queued', 'running', 'undoing')
      and name <> all (${known.operations})
    order by arrival`
  const { unfinished, finished } = await listUnknown(db, known.desired)
  const list = [...operations, ...unfinished]
  if (list.length > 0) {
    const words = `${version} does not support this unfinished work: ${list.join(', ')}. \
Wait until it is done or cancel it, then try again`
    throw new PanelError('busy', words)
  }
  if (finished.length === 0) return undefined
  return `${version} does not support these and leaves them as they are: ${finished.join(', ')}`
}

async function listUnknown(db: Db, known: Known['desired']) {
  const [unfinished, finished]: [string[], string[]] = [[], []]
  const tables = await anyFirst<string>(db)`
    select relname::text
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where relnamespace = 'panel'::regnamespace and relkind = 'r' and attname = 'desired'
    order by relname`
  for (const table of tables) {
    const states = known[table]
    const { rows } = await db.query<{ id: string; desired: string }>(
      `select id::text, desired from panel.${table} where desired <> all ($1) order by id`,
      [states ?? []],
    )
    // The earlier release would misread an unknown `desired` value of a table it knows; it never
    // reads an unknown table.
    for (const { id, desired } of rows) {
      const isIgnored = states === undefined && desired === 'present'
      ;(isIgnored ? finished : unfinished).push(`${table} ${id} (${desired})`)
    }
  }
  return { unfinished, finished }
}
