import { z } from 'zod'
import { all, type Db, maybeOne, one, run } from '../../db.ts'
import type { Renewal } from './authority.ts'
import { domain } from '../grammar/grammar.ts'

// The certificates of websites. The transitions of a row are in sql/functions; these are the calls
// of them by the courier and root.

/** The courier's step: checks that the names point here, and orders. */
export type Order = {
  siteId: string
  epoch: number
  domain: string
  /** The names to order for, the domain first if it is one of them. */
  servedNames: string[]
  /** The names in root's certificate request. */
  names: string[]
  request: string | null
  /** The names that the authority has refused, which `servedNames` leaves out. */
  refusedNames: string[]
  installedNames: string[] | null
  /** Whether a certificate is missing or due for renewal. */
  isDue: boolean
  /**
   * The id by which the authority is asked about the renewal of the served certificate, or null.
   */
  renewalId: string | null
}

/** Starts the courier's step, if it is due. */
export const startOrder = (db: Db, siteId: string) => maybeOne<Order>(db)`
  select ${siteId}::text as "siteId", epoch, domain, served_names as "servedNames", names, request,
    refused_names as "refusedNames", installed_names as "installedNames", is_due as "isDue",
    (select renewal_id from panel.certificates where site_id = ${siteId}) as "renewalId"
  from panel.start_order(${siteId})`

/** A started step; what it records has an effect only until the next start. */
export type Step = { siteId: string; epoch: number }

/** Postpones a failed step; sets the website's `ssl` unless it serves a valid certificate. */
export const postpone = (
  db: Db,
  { siteId, epoch }: Step,
  step: 'order' | 'request' | 'install',
  ssl: 'none' | 'failed',
  error: string,
) => run(db)`
  select panel.postpone_certificate(
    ${siteId}, ${epoch}, ${step}, ${ssl}, ${error.slice(0, 1_000)})`

/** Plans the renewal within the time that the authority suggests; returns whether it is due. */
export async function planRenewal(
  db: Db,
  { siteId, epoch }: Step,
  { start, end }: Renewal,
): Promise<boolean> {
  const { isDue } = await one<{ isDue: boolean }>(db)`
    select coalesce(panel.plan_renewal(${siteId}, ${epoch}, ${start}, ${end}) <= now(), false)
      as "isDue"`
  return isDue
}

/**
 * Ends a step that cannot improve on the served certificate for now.
 *
 * @param askAt when to ask the authority about its renewal again; null for never
 */
export const rest = (db: Db, { siteId, epoch }: Step, askAt: Date | null) => run(db)`
  select panel.rest_until(${siteId}, ${epoch}, ${askAt})`

/** Has root create a certificate request for these names. */
export const askForRequest = (db: Db, { siteId, epoch }: Step, names: string[]) => run(db)`
  select panel.ask_for_request(${siteId}, ${epoch}, ${names})`

/** Has root check and install the issued certificate. */
export const recordOrder = (db: Db, { siteId, epoch }: Step, chain: string) => run(db)`
  select panel.record_order(${siteId}, ${epoch}, ${chain})`

/** Records whether this server gets certificates for its websites, and which sites serve one. */
export const setIssuing = (db: Db, isIssuing: boolean, servedSiteIds: readonly string[]) => run(db)`
  select panel.set_issuing(${isIssuing}, ${servedSiteIds})`

/**
 * Records why names are left out of the order; `refused` are those that the authority has refused,
 * null for no change.
 */
export const recordMissing = (
  db: Db,
  { siteId, epoch }: Step,
  missing: Readonly<Record<string, string>>,
  refused: readonly string[] | null,
) => run(db)`
  select panel.record_missing(${siteId}, ${epoch}, ${JSON.stringify(missing)}, ${refused})`

/** Authorities issue certificates for up to 100 names (Let's Encrypt, the default). */
export const maxNames = 100

// Root does not trust rows and parses these again.
const siteNames = z.array(domain).min(1).max(maxNames)
const desiredRequest = z.strictObject({
  siteId: z.string(),
  epoch: z.int(),
  names: siteNames,
})
const orderedCertificate = desiredRequest.extend({ chain: z.string() })

export type DesiredRequest = z.infer<typeof desiredRequest>
export type OrderedCertificate = z.infer<typeof orderedCertificate>

/** Starts root's step: the requests that an account's websites are waiting for. */
export async function startRequests(db: Db, accountId: string): Promise<DesiredRequest[]> {
  const rows = await all(db)`
    select site_id::text as "siteId", epoch, names
    from panel.start_certificates(${accountId}, 'request')`
  return z.array(desiredRequest).parse(rows)
}

/** Starts root's step: the certificates ordered for an account's websites. */
export async function startInstalls(db: Db, accountId: string): Promise<OrderedCertificate[]> {
  const rows = await all(db)`
    select site_id::text as "siteId", epoch, names, chain
    from panel.start_certificates(${accountId}, 'install')`
  return z.array(orderedCertificate).parse(rows)
}

/** Stores the request and has the courier order with it. */
export const recordRequest = (db: Db, { siteId, epoch }: Step, request: string) => run(db)`
  select panel.record_request(${siteId}, ${epoch}, ${request})`

export type Issued = {
  issuer: string
  beginsAt: Date
  expiresAt: Date
  /** The id by which the authority is asked about its renewal (RFC 9773); null if it has none. */
  renewalId: string | null
}

/** Records that a certificate is served, together with the event `ssl.issued`. */
export const recordInstalled = (
  db: Db,
  { siteId, epoch }: Step,
  operationId: string,
  { issuer, beginsAt, expiresAt, renewalId }: Issued,
  event: Buffer,
) => run(db)`
  select panel.record_installed(
    ${siteId}, ${epoch}, ${operationId}, ${issuer}, ${beginsAt}, ${expiresAt}, ${renewalId},
    ${event})`
