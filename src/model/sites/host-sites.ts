import { z } from 'zod'
import { domain } from '../grammar/grammar.ts'
import type { HostPart } from '../operations/resource-kind.ts'
import { ClosedFolders } from './closed-folders.ts'
import { SiteSettings } from './site-settings.ts'

// An account's websites for the machine.

const Site = z.strictObject({
  id: z.string().regex(/^[1-9][0-9]{0,18}$/),
  domain,
  /** Left out if all have their defaults. */
  settings: SiteSettings.optional(),
  /** Its further names; left out if there are none. */
  aliases: z.array(domain).optional(),
  /** Folders that its .htaccess files close; left out if there are none. */
  closed: ClosedFolders.optional(),
  /** Names that are no longer its own. */
  formerAliases: z.array(domain).optional(),
})

const shape = {
  sites: z.array(Site),
  /**
   * Websites of which only the owner's files may remain; the files of a website whose add never
   * finished are left where they are.
   */
  deleting: z.array(
    Site.omit({ settings: true, aliases: true, closed: true }).extend({
      isNew: z.boolean().optional(),
    }),
  ),
}

export type SiteRow = {
  id: string
  domain: string
  settings: object
  desired: 'reserved' | 'present' | 'absent'
  isNew: boolean
  aliases: readonly { name: string; desired: 'present' | 'absent' }[] | null
  closed: readonly string[] | null
}

const sitesThatAre = (rows: readonly SiteRow[], which: SiteRow['desired']) =>
  rows.filter(({ desired }) => desired === which)

function aliasesOf({ aliases, desired }: SiteRow) {
  const names = (which: 'present' | 'absent') =>
    (aliases ?? [])
      .filter(one => (desired === 'present' ? one.desired : 'absent') === which)
      .map(({ name }) => name)
  const [present, former] = [names('present'), names('absent')]
  return {
    ...(present.length > 0 && { aliases: present }),
    ...(former.length > 0 && { formerAliases: former }),
  }
}

export const hostSites: HostPart<readonly SiteRow[] | null, typeof shape> = {
  shape,
  of: rows => ({
    sites: sitesThatAre(rows ?? [], 'present').map(row => ({
      ...{ id: row.id, domain: row.domain },
      ...(Object.keys(row.settings).length > 0 && { settings: row.settings }),
      ...(row.closed !== null && row.closed.length > 0 && { closed: row.closed }),
      ...aliasesOf(row),
    })),
    deleting: sitesThatAre(rows ?? [], 'absent').map(row => ({
      ...{ id: row.id, domain: row.domain },
      ...(row.isNew && { isNew: row.isNew }),
      ...aliasesOf(row),
    })),
  }),
}
