import { z } from 'zod'
import { domain } from '../grammar/grammar.ts'
import { PhpSettings } from './php-settings.ts'
import type { HostPart } from '../operations/resource-kind.ts'

// An account's websites for the machine.

const Site = z.strictObject({
  id: z.string().regex(/^[1-9][0-9]{0,18}$/),
  domain,
  /** Whether visitors using HTTP are redirected to HTTPS, once there is a certificate. */
  isHttpsOnly: z.boolean().optional(),
  /** Whether visitors can download source files, copies of them and database dumps. */
  servesSources: z.boolean().optional(),
  /** Settings for which it has a PHP of its own. */
  php: PhpSettings.optional(),
})

const shape = {
  sites: z.array(Site),
  /**
   * Websites of which only the owner's files may remain; the files of a website whose add never
   * finished are left where they are.
   */
  deleting: z.array(Site.extend({ isNew: z.boolean().optional() })),
}

// A row without `desired` is from a release that knew only present websites.
type Row = {
  id: string
  domain: string
  isHttpsOnly?: boolean | undefined
  servesSources?: boolean | undefined
  desired?: 'reserved' | 'present' | 'absent'
  isNew?: boolean
}

const sitesThatAre = (rows: readonly Row[], which: 'present' | 'absent') =>
  rows
    .filter(({ desired = 'present' }) => desired === which)
    .map(({ id, domain, isHttpsOnly = false, servesSources = false, isNew = false }) => ({
      id,
      domain,
      ...(which === 'present' && isHttpsOnly && { isHttpsOnly }),
      ...(which === 'present' && servesSources && { servesSources }),
      ...(which === 'absent' && isNew && { isNew }),
    }))

export const hostSites: HostPart<readonly Row[], typeof shape> = {
  shape,
  of: rows => ({ sites: sitesThatAre(rows, 'present'), deleting: sitesThatAre(rows, 'absent') }),
}
