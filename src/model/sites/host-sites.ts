import { z } from 'zod'
import { domain } from '../grammar/grammar.ts'
import type { HostPart } from '../operations/resource-kind.ts'
import { SiteSettings } from './site-settings.ts'

// An account's websites for the machine.

const Site = z.strictObject({
  id: z.string().regex(/^[1-9][0-9]{0,18}$/),
  domain,
  /** Left out if all have their defaults. */
  settings: SiteSettings.optional(),
})

const shape = {
  sites: z.array(Site),
  /**
   * Websites of which only the owner's files may remain; the files of a website whose add never
   * finished are left where they are.
   */
  deleting: z.array(Site.omit({ settings: true }).extend({ isNew: z.boolean().optional() })),
}

type Row = {
  id: string
  domain: string
  settings: object
  desired: 'reserved' | 'present' | 'absent'
  isNew: boolean
}

const sitesThatAre = (rows: readonly Row[], which: Row['desired']) =>
  rows.filter(({ desired }) => desired === which)

export const hostSites: HostPart<readonly Row[] | null, typeof shape> = {
  shape,
  of: rows => ({
    sites: sitesThatAre(rows ?? [], 'present').map(({ id, domain, settings }) => ({
      ...{ id, domain },
      ...(Object.keys(settings).length > 0 && { settings }),
    })),
    deleting: sitesThatAre(rows ?? [], 'absent').map(({ id, domain, isNew }) => ({
      ...{ id, domain },
      ...(isNew && { isNew }),
    })),
  }),
}
