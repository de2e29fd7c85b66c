import { all, type Db, maybeOne, oneFirst } from '../../db.ts'

// The courier's checks of mail domains: the way of their mail, their owner, and the DNS records
// that they should have.

/** The records that a mail domain should have. */
export const recordNames = [
  ...(['mx', 'spf', 'dkim', 'dmarc'] as const),
  ...(['autoconfig', 'autodiscover'] as const),
] as const

export type RecordName = (typeof recordNames)[number]

/** `unknown` means that the name servers did not answer. */
export const recordResults = ['ok', 'missing', 'wrong', 'unknown'] as const

export type RecordResult = (typeof recordResults)[number]

/** The result for a record, with the records that are there: text that others chose. */
export type CheckedRecord = { record: RecordName; result: RecordResult; found: string[] }

/** The answers of name servers about a mail domain. */
export type CheckedDomain = {
  /** The record by which its mail leads to this server; null if it does not. */
  found: 'mx' | 'address' | 'unknown' | null
  /** The secrets in its TXT records. */
  proofs: string[]
  records: CheckedRecord[]
}

/** A mail domain whose check has begun. */
export type DueCheck = {
  id: string
  /** A check that began under another epoch is not recorded. */
  epoch: number
  domain: string
  /** The name of the mail server. */
  host: string
  selector: string
  /** Null until the worker has made it. */
  key: string | null
}

/** Asks name servers about a mail domain (src/acme); it never takes longer than some seconds. */
export type CheckMailDomain = (due: DueCheck) => Promise<CheckedDomain>

/** Starts the checks that are due for the longest time. */
export const startChecks = (db: Db, limit: number) => all<DueCheck>(db)`
  select id::text, epoch, domain, host, selector, key from panel.start_mail_checks(${limit})`

/** Records a check; returns the state of the domain, null if it has no effect any more. */
export async function recordCheck(
  db: Db,
  { id, epoch }: DueCheck,
  { found, proofs, records }: CheckedDomain,
): Promise<string | null> {
  const row = await maybeOne<{ state: string | null }>(db)`
    select panel.record_mail_check(
      ${id}, ${epoch}, ${found}, ${proofs}, ${JSON.stringify(records)}) as state`
  return row?.state ?? null
}

/** Has the courier check a domain now; false if it did a moment ago. */
export const askForCheck = (db: Db, accountId: string, domain: string) =>
  oneFirst<boolean>(db)`select panel.check_mail_domain(${accountId}, ${domain})`
