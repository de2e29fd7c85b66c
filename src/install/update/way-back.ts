import { join } from 'node:path'
import { all, type Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { isFolder } from '../../host/tools/files.ts'
import { readHistory } from './journal.ts'
import { folderOf } from './releases.ts'

/**
 * The release that a rollback leads to.
 *
 * @throws {PanelError} `invalid`, where there is none
 */
export function requirePrevious(): string {
  const [previous] = readHistory().previous
  if (previous !== undefined && isFolder(folderOf(previous))) return previous
  throw new PanelError('invalid', 'There is no release to go back to: none was updated from')
}

/**
 * Refuses while something is under way that the earlier release does not know.
 *
 * @throws {PanelError} `busy`, with the list
 */
export async function requireKnownWork(db: Db, version: string): Promise<void> {
  const known = await operationsOf(version)
  const rows = await all<{ words: string }>(db)`
    select name || ' ' || coalesce(username, 'of the server') || ' (' || state || ')' as words
    from panel.operations
    where state in ('claimed', 'parked', 'queued', 'running', 'undoing')
      and name <> all (${known})
    order by arrival`
  if (rows.length === 0) return
  const list = rows.map(({ words }) => words).join(', ')
  throw new PanelError('busy', `Under way, and nothing that ${version} knows: ${list}`)
}

/** The operations that a release knows, by its own table. */
async function operationsOf(version: string): Promise<string[]> {
  const path = join(folderOf(version), 'src/model/operation-names.ts')
  const { operationNames } = (await import(path)) as { operationNames: Record<string, unknown> }
  return Object.keys(operationNames)
}
