import { z } from 'zod'
import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import * as grammar from './grammar.ts'
import type { Owner } from './owners.ts'

/** An account as answers show it (api.md, Account). */
export type Account = {
  username: string
  email: string
  package: string
  state: AccountRecord['state']
  domain: string | null
  sites: { domain: string; ssl: string }[]
  suspend_reason: string | null
  warnings: string[]
  created_at: string
  suspended_at: string | null
}

/** One account as the database tells it (sql/functions/account_record.sql). */
export const AccountRecord = z.strictObject({
  id: z.string(),
  sellerId: z.string(),
  uid: z.int(),
  username: z.string(),
  email: z.string(),
  wanted: z.enum(['active', 'suspended', 'terminated']),
  state: z.enum(['provisioning', 'active', 'suspended', 'terminating', 'terminated']),
  isApplied: z.boolean(),
  warnings: z.array(z.string()),
  suspendReason: z.string().nullable(),
  suspendedBy: z.enum(['administrator', 'reseller']).nullable(),
  suspendedAt: z.string().nullable(),
  createdAt: z.string(),
  package: z.strictObject({
    name: z.string(),
    maxSites: z.int(),
    diskMb: z.int(),
    memoryMb: z.int(),
    cpuPercent: z.int(),
    sftp: z.boolean(),
  }),
  sites: z.array(z.strictObject({ id: z.string(), domain: z.string(), ssl: z.string() })),
})

export type AccountRecord = z.infer<typeof AccountRecord>

/** What a caller sends to create one. A leading `www.` is taken off, because it is served along. */
export const NewAccount = z.strictObject({
  username: grammar.username,
  password: grammar.password,
  email: grammar.email,
  package: grammar.packageName,
  domain: grammar.siteDomain.nullish(),
})

export type NewAccount = z.infer<typeof NewAccount>

export const SuspendBody = z.strictObject({ reason: grammar.note.nullish() })

/** The body of an operation that takes none. */
export const EmptyBody = z.strictObject({})

/** The account of that name, as far as the owner may see it. */
export async function get(db: Db, owner: Owner, username: string): Promise<AccountRecord> {
  const { rows } = await db.query<{ record: AccountRecord }>({
    name: 'get_account',
    text: `select panel.account_record(id) as record
           from panel.accounts
           where username = $1 and state <> 'terminated' and ($2 or seller_id = $3)`,
    values: [username, owner.role === 'administrator', owner.sellerId],
  })
  const [row] = rows
  if (row === undefined) throw new PanelError('not_found', `Unknown account: ${username}`)
  return row.record
}

/** Adds the rows of an account that is about to be made on the machine; tells its id. */
export async function add(
  db: Db,
  sellerId: string,
  packageId: string,
  account: Omit<NewAccount, 'password' | 'package'> & { passwordHash: string },
): Promise<string> {
  const { username, email, passwordHash, domain } = account
  const { rows } = await db.query<{ id: string | null; taken: 'username' | 'domain' | null }>(
    'select id, taken from panel.create_account($1, $2, $3, $4, $5, $6)',
    [sellerId, packageId, username, email, passwordHash, domain ?? null],
  )
  const { id, taken } = rows[0] ?? {}
  if (taken === 'username') throw new PanelError('invalid', `username: ${username} is taken`)
  if (taken === 'domain') throw new PanelError('invalid', `domain: ${domain} is taken`)
  return z.string().parse(id)
}

/** The record in the answer's words. */
export const toAccount = (record: AccountRecord): Account => ({
  username: record.username,
  email: record.email,
  package: record.package.name,
  state: record.state,
  domain: record.sites[0]?.domain ?? null,
  sites: record.sites.map(({ domain, ssl }) => ({ domain, ssl })),
  suspend_reason: record.suspendReason,
  warnings: record.warnings,
  created_at: toTime(record.createdAt),
  suspended_at: record.suspendedAt === null ? null : toTime(record.suspendedAt),
})

// RFC 3339 in UTC with milliseconds, however PostgreSQL prints its time zone.
const toTime = (text: string): string => new Date(text).toISOString()
