import { all, type Db, type Sql, sql } from '../../db.ts'
import type { AccountRecord } from '../accounts/accounts.ts'
import type { SiteRules } from './site-rules.ts'

// Websites as pages show them: with their certificates, and why one has none yet.

export type ShownSite = {
  domain: string
  state: 'adding' | 'present' | 'removing'
  ssl: 'none' | 'pending' | 'issued' | 'failed'
  /** Whether visitors by HTTP are sent to HTTPS, once there is a certificate. */
  is_https_only: boolean
  /** Whether visitors get source files, copies of them and dumps of databases. */
  serves_sources: boolean
  /** The names on the certificate that is served; null where none is. */
  names: string[] | null
  issuer: string | null
  expires_at: Date | string | null
  /** Where its names point, or what an order came to. */
  error: string | null
  /** When somebody looks again; null where nobody does by themselves. */
  due_at: Date | string | null
  /** Whether this server gets certificates at all. */
  is_issuing: boolean
  /** What its .htaccess files say that is not applied, and when that was read; null before. */
  rules: SiteRules | null
  rules_read_at: Date | string | null
}

/** All of an account, the oldest first, with those that are being added or removed. */
export const listShownSites = (db: Db, { id }: Pick<AccountRecord, 'id'>) =>
  all<ShownSite>(db)`${shownSitesOf(sql`${id}`)}`

/** The same as a part of a statement. */
export const shownSitesOf = (accountId: Sql): Sql => sql`
  select domain, state, ssl, is_https_only, serves_sources, names, issuer, expires_at, error,
    due_at, is_issuing, rules, rules_read_at
  from panel.show_sites(${accountId})`
