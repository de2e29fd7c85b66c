import { type Db, maybeOne, run } from '../../db.ts'

// The certificate of the panel itself. Root asks for one and installs it, the courier orders.

export type OwnCertificate = {
  domain: string
  request: string
  /** What the authority has issued, until it is installed. */
  chain: string | null
  /** Why the last attempt came to nothing. */
  error: string | null
}

/** What was asked for last. */
export const find = (db: Db) => maybeOne<OwnCertificate>(db)`
  select domain, request, chain, error from panel.own_certificate`

/** The same, where the courier is to order it now. */
export const findDue = (db: Db) => maybeOne<OwnCertificate>(db)`
  select domain, request, chain, error from panel.own_certificate
  where due_at <= now() and chain is null`

/** Asks for one of this name by this request. */
export const writeDesired = (db: Db, domain: string, request: string) => run(db)`
  insert into panel.own_certificate (domain, request) values (${domain}, ${request})
  on conflict (is_single) do update
  set domain = ${domain}, request = ${request}, due_at = now(), attempts = 0, chain = null,
    error = null`

/** Has the courier order one, now or when its last failure is long enough ago. */
export async function order(db: Db): Promise<void> {
  await run(db)`update panel.own_certificate set due_at = now() where due_at is null`
  await run(db)`select panel.order_own_certificate()`
}

/** Stores what was issued by this request, for root to judge. */
export const recordOrder = (db: Db, { request }: OwnCertificate, chain: string) => run(db)`
  update panel.own_certificate set chain = ${chain} where request = ${request}`

/** Ends an attempt that came to nothing until later. */
export const postpone = (db: Db, { request }: OwnCertificate, error: string) => run(db)`
  update panel.own_certificate
  set chain = null, error = ${error.slice(0, 1_000)}, attempts = attempts + 1,
    due_at = now() + panel.certificate_pause(attempts + 1, true)
  where request = ${request}`

/** Has the next attempt go by another request: what came did not belong to the last one's key. */
export const askAnew = (db: Db, request: string) => run(db)`
  update panel.own_certificate set request = ${request}`

/** Ends it: the certificate is served. */
export const rest = (db: Db) => run(db)`
  update panel.own_certificate set chain = null, due_at = null, attempts = 0, error = null`
