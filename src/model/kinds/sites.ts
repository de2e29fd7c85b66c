import { z } from 'zod'
import { sql } from '../../db.ts'
import { name } from '../events/event-fields.ts'
import { forAll } from '../operations/operation-kind.ts'
import { hostSites } from '../sites/host-sites.ts'
import { eventKind, serviceWarning, type ResourceKind } from '../operations/resource-kind.ts'

const data = z.strictObject({ username: name, domain: name })
const example = { username: 'alice', domain: 'alice.example' }

/** The state of a website's certificate. */
export const sslState = z.enum(['none', 'pending', 'issued', 'failed'])

/** Websites. */
export const sites = {
  tables: ['sites', 'site_aliases'],
  restore: 'restore_site',
  operations: {
    'site/add': { lane: 'account', params: ['site_id', 'domain'], ...forAll },
    'site/remove': { lane: 'account', params: ['site_id', 'domain'], ...forAll, lifts: true },
    // Changes settings of a website, at least one; `settings` is a merge patch.
    'site/set': {
      lane: 'account',
      params: ['site_id', 'domain', 'settings', 'removed_aliases'],
      ...forAll,
    },
    'site/recheck': { lane: 'none', params: [], ...forAll },
  },
  labels: {
    'site/add': 'Add website',
    'site/remove': 'Remove website',
    'site/set': 'Save website',
    'site/recheck': 'Recheck website',
  },
  themes: { site: 'Websites' },
  record: {
    key: 'sites',
    sql: `select json_agg(
        json_build_object(
          'id', s.id::text, 'domain', s.domain, 'ssl', s.ssl, 'desired', s.desired,
          'isNew', s.added_by is not null)
        order by s.id)
      from panel.sites s
      where s.account_id = a.id`,
    schema: z.array(
      z.strictObject({
        id: z.string(),
        domain: z.string(),
        ssl: sslState,
        desired: z.enum(['reserved', 'present', 'absent']),
        /** Whether the operation that adds it has not ended yet. */
        isNew: z.boolean(),
      }),
    ),
  },
  // With their settings, which contain password hashes, their further names, and the folders that
  // .htaccess files close.
  secretRows: {
    key: 'sites',
    sql: `select json_agg(
          json_build_object(
            'id', s.id::text, 'domain', s.domain, 'settings', s.settings, 'desired', s.desired,
            'isNew', s.added_by is not null,
            'closed', (select r.found -> 'closed' from site_rules r where r.site_id = s.id),
            'aliases', (
              select json_agg(json_build_object('name', x.name, 'desired', x.desired) order by x.id)
              from site_aliases x
              where x.site_id = s.id and x.desired <> 'reserved'))
          order by s.id)
        from sites s
        where s.account_id = a.id`,
  },
  warnings: [serviceWarning('websites', '"sites".rows is not null')],
  host: hostSites,
  part: { name: 'websites', isSuspended: true },
  refusals: {
    domain_taken: [
      400,
      'the domain, or one above or below it, belongs to another account or the panel',
    ],
    too_many_sites: [400, 'the package allows fewer websites'],
    too_many_site_aliases: [400, 'the package allows fewer aliases'],
    website_unknown: [404, 'the account has no such website'],
  },
  suggested: {
    kind: 'website',
    rows: sql`select domain as name, account_id from panel.sites where added_by is null`,
  },
  words: {
    sites: username => sql`
      select s.domain as word from panel.sites s join panel.accounts a on a.id = s.account_id
      where a.username = ${username} and a.state <> 'terminated'`,
  },
  deletions: ({ sites }: { sites: readonly { domain: string; isNew: boolean }[] }) =>
    sites.flatMap(({ domain, isNew }) => (isNew ? [] : [['site.deleted', { domain }] as const])),
  events: {
    'site.created': eventKind('a website was added', data, example),
    'site.deleted': eventKind('a website was removed', data, example),
  },
} as const satisfies ResourceKind
