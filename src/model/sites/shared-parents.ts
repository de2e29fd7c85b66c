import { z } from 'zod'
import { all, type Db, one } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { sharedParent } from '../grammar/grammar.ts'

// Domains below which every account may add a website of its own, such as those for free
// subdomains. Elsewhere no account gets a name above or below another account's
// (domain_conflict.sql).

/** Each added domain is compared with all of them. */
const maxParents = 100

/** The grammar for the command line and the pages. */
export const SharedParents = z
  .array(sharedParent)
  .max(maxParents, `must be at most ${maxParents} domains`)

export type SharedParent = { domain: string; created_at: Date }

export const listSharedParents = (db: Db) => all<SharedParent>(db)`
  select domain, created_at from panel.shared_parents order by domain`

/**
 * Adds shared parents to the list and removes others from it, or replaces it, in the caller's
 * transaction; returns the domains on it. Existing websites stay, whatever the list contains.
 *
 * @throws {PanelError} `invalid` if it becomes too long, `not_found` if a removed one is not on it
 */
export async function changeSharedParents(
  db: Db,
  change: { isCleared?: boolean; added?: readonly string[]; removed?: readonly string[] },
): Promise<string[]> {
  const { isCleared = false, added = [], removed = [] } = change
  const { domains, refusal, unlisted } = await one<Changed>(db)`
    select domains, refusal, unlisted
    from panel.change_shared_parents(
      ${isCleared}, ${added}::text[], ${removed}::text[], ${maxParents})`
  switch (refusal) {
    case 'unknown':
      throw new PanelError('not_found', `Unknown shared parent: ${unlisted}`)
    case 'long':
      throw new PanelError('invalid', `There can be at most ${maxParents} shared parents`, {
        field: 'domains',
      })
    case null:
      return domains
  }
}

type Changed =
  | { domains: string[]; refusal: null; unlisted: null }
  | { domains: null; refusal: 'long'; unlisted: null }
  | { domains: null; refusal: 'unknown'; unlisted: string }
