import { type Db, maybeOne, run } from '../../db.ts'

// The certificates of the panel itself and of its mail server. Root requests and installs them; the
// courier orders them.

export type OwnPurpose = 'panel' | 'mail'

export type OwnCertificate = {
  domain: string
  request: string
  /** The issued certificate, until it is installed. */
  chain: string | null
  /** Why the last attempt failed. */
  error: string | null
}

/** Returns the last request. */
export const find = (db: Db, purpose: OwnPurpose) => maybeOne<OwnCertificate>(db)`
  select domain, request, chain, error from panel.own_certificate where purpose = ${purpose}`

/** Returns a request that the courier has to order now. */
export const findDue = (db: Db) => maybeOne<OwnCertificate>(db)`
  select domain, request, chain, error from panel.own_certificate
  where due_at <= now() and chain is null
  order by due_at
  limit 1`

type Desired = { purpose: OwnPurpose; domain: string; request: string }

/** Stores a request for this name. */
export const writeDesired = (db: Db, { purpose, domain, request }: Desired) => run(db)`
  insert into panel.own_certificate (purpose, domain, request)
  values (${purpose}, ${domain}, ${request})
  on conflict (purpose) do update
  set domain = ${domain}, request = ${request}, due_at = now(), attempts = 0, chain = null,
    error = null`

/** Has the courier order a certificate, now or once its last failure is long enough ago. */
export async function order(db: Db, purpose: OwnPurpose): Promise<void> {
  await run(db)`
    update panel.own_certificate set due_at = now()
    where due_at is null and purpose = ${purpose}`
  await run(db)`select panel.order_own_certificate()`
}

/** Stores the certificate issued for this request, for root to check. */
export const recordOrder = (db: Db, { request }: OwnCertificate, chain: string) => run(db)`
  update panel.own_certificate set chain = ${chain} where request = ${request}`

/** Postpones a failed attempt. */
export const postpone = (db: Db, { request }: OwnCertificate, error: string) => run(db)`
  update panel.own_certificate
  set chain = null, error = ${error.slice(0, 1_000)}, attempts = attempts + 1,
    due_at = now() + panel.certificate_pause(attempts + 1, true)
  where request = ${request}`

/** Replaces the request, because the issued certificate did not match the key of the last one. */
export const askAnew = (db: Db, purpose: OwnPurpose, request: string) => run(db)`
  update panel.own_certificate set request = ${request} where purpose = ${purpose}`

/** Marks the order as finished: the certificate is served. */
export const rest = (db: Db, purpose: OwnPurpose) => run(db)`
  update panel.own_certificate set chain = null, due_at = null, attempts = 0, error = null
  where purpose = ${purpose}`
