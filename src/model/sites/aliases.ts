import { type Db, one } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import type { AliasChange } from './name-redirects.ts'
import { refusalOf, type DomainConflict } from './refused-names.ts'
import { maxSiteAliases } from './site-settings.ts'

// Further names of a website: each is reserved like a domain, and served with `www.` too.

type Ids = { operationId: string; accountId: string; siteId: string }

/** Returns the change of further names in a change of settings; undefined for none. */
export const aliasesOf = ({
  aliases,
}: {
  aliases?: readonly string[] | null | undefined
}): AliasChange | undefined =>
  aliases === undefined ? undefined : { added: [...new Set(aliases ?? [])], removed: null }

/**
 * Reserves the added names for the operation; returns those that it removes. A refusal names the
 * package.
 *
 * @throws {PanelError} `domain_taken`, `too_many_site_aliases`, or `invalid`
 */
export async function changeAliases(
  db: Db,
  { operationId, accountId, siteId }: Ids,
  { added, removed }: AliasChange,
  isRoot: boolean,
  packageName: string,
): Promise<string[]> {
  const changed = await one<Changed>(db)`
    select removed, refusal, name, allowed
    from panel.change_aliases(
      ${operationId}, ${accountId}, ${siteId}, ${added}::text[], ${removed}::text[],
      ${maxSiteAliases}, ${isRoot})`
  if (changed.refusal !== null) throw toError(changed, packageName)
  return changed.removed
}

type Refused = {
  removed: null
  refusal: 'aliases' | 'website' | 'unknown' | 'own' | 'busy' | DomainConflict
  name: string | null
  allowed: number | null
}

type Changed = { removed: string[]; refusal: null } | Refused

const field = 'aliases'

function toError({ refusal, name, allowed }: Refused, packageName: string): PanelError {
  const invalid = (words: string) => new PanelError('invalid', words, { field })
  switch (refusal) {
    case 'aliases': {
      const counted = allowed === 1 ? '1 alias' : `${allowed} aliases`
      const words = `The package ${packageName} allows ${counted}`
      return new PanelError('too_many_site_aliases', words, { field })
    }
    case 'website':
      return invalid(`A website can have at most ${allowed} aliases`)
    case 'unknown':
      return invalid(`${name} is not an alias of the website`)
    case 'own':
      return invalid(`${name} is the website's domain already`)
    case 'busy':
      return new PanelError('domain_taken', `${name} is being added or removed: try again later`, {
        field,
      })
    default:
      return refusalOf(name ?? '', refusal, undefined, field)
  }
}
