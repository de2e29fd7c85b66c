import { z } from 'zod'
import { all, type Db, maybeOne } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { account } from '../accounts/accounts.ts'
import type { AccountSubject } from '../operations/operations.ts'
import { Autoresponder } from './autoresponder.ts'
import { dkimOf, DnsRecord, type RecordCheck, recordsOf } from './dns-records.ts'
import { Filters } from './filters.ts'
import { partsOf } from './mail-grammar.ts'

// An account's mail as rows have it, and as answers show it.

/** The functions by which operations write rows of mail when they start and end. */
export const mail = {
  ...{ ...account, find: 'find_mail', writeDesired: 'write_desired_mail' },
  about: z.object({
    domainId: z.string().nullable(),
    mailboxId: z.string().nullable(),
    aliasId: z.string().nullable(),
  }),
} satisfies AccountSubject<unknown>

/** A mail domain as answers show it. */
export const MailDomain = z.strictObject({
  domain: z.string(),
  state: z
    .enum(['pending', 'active'])
    .describe("`pending` until its DNS records show that it is the account's: it gets no mail"),
  catch_all: z.string().nullable().describe('The address that gets the mail of all unknown ones'),
  mail_host: z.string().nullable().describe('The name of the server for its MX record'),
  proof: z.string().describe('The text of a TXT record at `_panel-mail` that proves the domain'),
  dkim: z
    .strictObject({ name: z.string(), value: z.string() })
    .nullable()
    .describe('The TXT record with which receivers check signatures; null until it is made'),
  missing_since: z.iso
    .datetime()
    .nullable()
    .describe('Since when its DNS records lead elsewhere; it gets no mail after 7 days'),
  created_at: z.iso.datetime(),
})

/** A mail domain with its DNS records. */
export const MailDomainRecords = z.strictObject({
  ...MailDomain.shape,
  records: z.array(DnsRecord).describe('The DNS records to set, each with its last check'),
})

/** A mailbox as answers show it. */
export const Mailbox = z.strictObject({
  mailbox: z.string(),
  quota_mb: z.int(),
  used_mb: z
    .int()
    .nullable()
    .describe('The size of its messages, rounded up; null before it was measured'),
  autoresponder: Autoresponder.nullable(),
  filters: Filters.describe('The first that a message meets decides'),
  created_at: z.iso.datetime(),
})

/** An alias as answers show it. */
export const MailAlias = z.strictObject({
  alias: z.string(),
  targets: z.array(z.string()),
})

export type MailDomain = z.infer<typeof MailDomain>
export type MailDomainRecords = z.infer<typeof MailDomainRecords>
export type Mailbox = z.infer<typeof Mailbox>
export type MailAlias = z.infer<typeof MailAlias>

type DomainRow = Omit<MailDomain, 'dkim' | 'missing_since' | 'created_at'> & {
  checks: RecordCheck[]
  id: string
  selector: string
  key: string | null
  missingSince: Date | null
  createdAt: Date
}

/** Selects the mail domains of an account, by name; one only if its id is given. */
export async function listDomains(db: Db, accountId: string, id?: string | null) {
  const rows = await all<DomainRow>(db)`
    select d.id::text, d.domain, d.state, d.catch_all, s.mail ->> 'host' as mail_host,
      'panel-mail=' || d.proof as proof, d.dkim_selector as selector, d.dkim_public_key as key,
      d.missing_since as "missingSince", d.created_at as "createdAt", (
        select coalesce(json_agg(json_build_object(
          'record', r.record, 'result', r.result, 'found', r.found,
          'checked_at', to_char(
            r.checked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))), '[]')
        from panel.mail_domain_records r
        where r.domain_id = d.id) as checks
    from panel.mail_domains d
    cross join panel.server s
    where d.account_id = ${accountId}
      and case when ${id ?? null}::text is null
        then d.desired = 'present' and d.added_by is null else d.id::text = ${id ?? null} end
    order by d.domain`
  return rows.map(toDomain)
}

const toDomain = ({ selector, key, missingSince, createdAt, checks, ...row }: DomainRow) => ({
  id: row.id,
  shown: {
    domain: row.domain,
    state: row.state,
    catch_all: row.catch_all,
    mail_host: row.mail_host,
    proof: row.proof,
    dkim: dkimOf({ ...row, host: row.mail_host, selector, key }),
    missing_since: missingSince?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  } satisfies MailDomain,
  records: recordsOf({ ...row, host: row.mail_host, selector, key }, checks),
})

type MailboxRow = Omit<Mailbox, 'created_at'> & { id: string; createdAt: Date }

/** Selects the mailboxes of an account, by address; one only if its id is given. */
export async function listMailboxes(db: Db, accountId: string, id?: string | null) {
  const rows = await all<MailboxRow>(db)`
    select m.id::text, m.local_part || '@' || d.domain as mailbox, m.quota_mb,
      ceil(m.used_bytes::float8 / 1048576) as used_mb, m.autoresponder, m.filters,
      m.created_at as "createdAt"
    from panel.mailboxes m
    join panel.mail_domains d on d.id = m.domain_id
    where m.account_id = ${accountId}
      and case when ${id ?? null}::text is null
        then m.desired = 'present' and m.added_by is null else m.id::text = ${id ?? null} end
    order by d.domain, m.local_part`
  return rows.map(({ id, createdAt, ...row }) => ({
    id,
    shown: { ...row, created_at: createdAt.toISOString() } satisfies Mailbox,
  }))
}

/** Selects the aliases of an account, by address; one only if its id is given. */
export async function listAliases(db: Db, accountId: string, id?: string | null) {
  const rows = await all<MailAlias & { id: string }>(db)`
    select x.id::text, x.local_part || '@' || d.domain as alias, x.targets
    from panel.mail_aliases x
    join panel.mail_domains d on d.id = x.domain_id
    where x.account_id = ${accountId}
      and case when ${id ?? null}::text is null
        then x.desired = 'present' and x.added_by is null else x.id::text = ${id ?? null} end
    order by d.domain, x.local_part`
  return rows.map(({ id, ...shown }) => ({ id, shown }))
}

type Listed<Shown> = { id: string; shown: Shown }

/**
 * Returns what an operation was about, for its answer.
 *
 * @throws {PanelError} if another operation has removed it in the meantime
 */
export async function shownFor<Shown>(
  list: (db: Db, accountId: string, id: string) => Promise<Listed<Shown>[]>,
  db: Db,
  accountId: string,
  id: string | null,
  unknown: () => PanelError,
): Promise<Shown> {
  const [found] = id === null ? [] : await list(db, accountId, id)
  if (found === undefined) throw unknown()
  return found.shown
}

export const unknownDomain = (): PanelError =>
  new PanelError('mail_domain_unknown', 'The account has no such mail domain')

export const unknownMailbox = (): PanelError =>
  new PanelError('mailbox_unknown', 'The account has no such mailbox')

export const unknownAlias = (): PanelError =>
  new PanelError('mail_alias_unknown', 'The account has no such mail alias')

/** @throws {PanelError} `mail_domain_unknown` */
export async function domainIdOf(db: Db, accountId: string, domain: string): Promise<string> {
  const row = await maybeOne<{ id: string }>(db)`
    select d.id::text from panel.mail_domains d
    where d.account_id = ${accountId} and d.domain = ${domain}
      and d.desired = 'present' and d.added_by is null`
  if (row === undefined) throw unknownDomain()
  return row.id
}

/** @throws {PanelError} `mailbox_unknown` */
export async function mailboxIdOf(db: Db, accountId: string, address: string): Promise<string> {
  const { local, domain } = partsOf(address)
  const row = await maybeOne<{ id: string }>(db)`
    select m.id::text
    from panel.mailboxes m
    join panel.mail_domains d on d.id = m.domain_id
    where m.account_id = ${accountId} and d.domain = ${domain} and m.local_part = ${local}
      and m.desired = 'present' and m.added_by is null`
  if (row === undefined) throw unknownMailbox()
  return row.id
}

/** @throws {PanelError} `mail_alias_unknown` */
export async function aliasIdOf(db: Db, accountId: string, address: string): Promise<string> {
  const { local, domain } = partsOf(address)
  const row = await maybeOne<{ id: string }>(db)`
    select x.id::text
    from panel.mail_aliases x
    join panel.mail_domains d on d.id = x.domain_id
    where x.account_id = ${accountId} and d.domain = ${domain} and x.local_part = ${local}
      and x.desired = 'present' and x.added_by is null`
  if (row === undefined) throw unknownAlias()
  return row.id
}
