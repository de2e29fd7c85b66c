import { z } from 'zod'
import { name } from '../event-fields.ts'
import { beyondTheApi, forAll } from '../operation-kind.ts'
import { eventKind, type ResourceKind } from '../resource-kind.ts'

const data = z.strictObject({ username: name, domain: name })
const example = { username: 'alice', domain: 'alice.example' }

/** Websites. */
export const sites = {
  tables: ['sites'],
  restore: 'restore_site',
  operations: {
    'site/add': { lane: 'account', wants: ['site_id', 'domain'], ...forAll },
    'site/remove': { lane: 'account', wants: ['site_id', 'domain'], ...forAll, lifts: true },
    'site/set-https': {
      lane: 'account',
      wants: ['site_id', 'domain', 'https_only'],
      ...beyondTheApi,
    },
    // Settings of a website: one at least.
    'site/set': {
      lane: 'account',
      wants: ['site_id', 'domain', 'serves_sources'],
      ...beyondTheApi,
    },
    'site/look': { lane: 'none', wants: [], ...forAll },
  },
  refusals: {
    domain_taken: [
      400,
      'the domain, or one above or below it, belongs to another account or the panel',
    ],
    too_many_sites: [400, 'the package allows fewer websites'],
    website_unknown: [404, 'the account has no such website'],
  },
  events: {
    'site.created': eventKind(data, example),
    'site.deleted': eventKind(data, example),
  },
} as const satisfies ResourceKind
