import { all, type Db, type Sql, sql } from '../../db.ts'
import type { AccountRecord } from '../accounts/accounts.ts'
import type { SiteRules } from './site-rules.ts'

// Websites for pages: with their certificates, and the reason if there is none yet.

export type ShownSite = {
  id: string
  domain: string
  state: 'adding' | 'present' | 'removing'
  ssl: 'none' | 'pending' | 'issued' | 'failed'
  /** Its settings, with the names of users instead of their password hashes. */
  settings: unknown
  /** Its further names, oldest first. */
  aliases: string[]
  /** The names on the served certificate; null without one. */
  names: string[] | null
  issuer: string | null
  expires_at: Date | string | null
  /** Why its names do not point here, or why an order failed. */
  error: string | null
  /** When the next check is due; null if none is planned. */
  due_at: Date | string | null
  /** Why names are not on the certificate, by name; null before the first check. */
  missing: Record<string, string> | null
  /** Whether this server orders certificates at all. */
  is_issuing: boolean
  /**
   * The rules in its .htaccess files that are not applied, and when they were read; null before
   * that.
   */
  rules: SiteRules | null
  rules_read_at: Date | string | null
}

/** Returns all websites of an account, oldest first, with those that are being added or removed. */
export const listShownSites = (db: Db, { id }: Pick<AccountRecord, 'id'>) =>
  all<ShownSite>(db)`${shownSitesOf(sql`${id}`)}`

/** Returns the same query, for use inside a statement. */
export const shownSitesOf = (accountId: Sql): Sql => sql`
  select id, domain, state, ssl, settings, aliases, names, issuer, expires_at, error,
    due_at, missing, is_issuing, rules, rules_read_at
  from panel.show_sites(${accountId})`
