import { z } from 'zod'
import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import * as grammar from './grammar.ts'
import type { Owner } from './owners.ts'

const state = z.enum(['provisioning', 'active', 'suspended', 'terminating', 'terminated'])

const ssl = z.enum(['none', 'pending', 'issued', 'failed'])

/** An account as answers show it (api.md, Account). */
export const Account = z.strictObject({
  username: z.string(),
  email: z.string(),
  package: z.string().describe('The name of its package'),
  state: state.describe('`provisioning` while its create is running'),
  domain: z.string().nullable().describe('The first website, if there is one'),
  sites: z.array(
    z.strictObject({
      domain: z.string(),
      ssl: ssl.describe('`none`: the domain does not point to the server'),
    }),
  ),
  suspend_reason: z.string().nullable(),
  warnings: z.array(z.string()).describe('What the server cannot enforce for this account'),
  created_at: z.iso.datetime(),
  suspended_at: z.iso.datetime().nullable(),
})

export type Account = z.infer<typeof Account>

/** A page of accounts. */
export const AccountPage = z.strictObject({
  accounts: z.array(Account),
  next: z
    .string()
    .nullable()
    .describe('What to send as `after` for the next page, if there is one'),
})

/** One account as the database tells it (sql/functions/account_record.sql). */
export const AccountRecord = z.strictObject({
  id: z.string(),
  sellerId: z.string(),
  uid: z.int(),
  username: z.string(),
  email: z.string(),
  wanted: z.enum(['active', 'suspended', 'terminated']),
  state,
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
  sites: z.array(z.strictObject({ id: z.string(), domain: z.string(), ssl })),
})

export type AccountRecord = z.infer<typeof AccountRecord>

/** What a caller sends to create one. A leading `www.` is taken off, because it is served along. */
export const NewAccount = z.strictObject({
  username: grammar.username.describe('Unique on the server; some names are reserved'),
  password: grammar.password.describe('Any characters but control characters'),
  email: grammar.email,
  package: grammar.packageName.describe('The name of a package that the token sells'),
  domain: grammar.siteDomain
    .nullish()
    .describe('The first website: a host name in ASCII; `www.` in front is served along'),
})

export type NewAccount = z.infer<typeof NewAccount>

export const SuspendBody = z.strictObject({
  reason: grammar.note.nullish().describe('Shown with the account and in the event'),
})

export const PackageBody = z.strictObject({
  package: grammar.packageName.describe("A package of the account's seller"),
})

export const PasswordBody = z.strictObject({ password: grammar.password })

/** The body of an operation that takes none. */
export const EmptyBody = z.strictObject({})

/** The account of that name, as far as the owner may see it. */
export async function get(db: Db, owner: Owner, username: string): Promise<AccountRecord> {
  if (!isName(username)) throw unknown(username)
  const { rows } = await db.query<{ record: AccountRecord }>({
    name: 'get_account',
    text: `select panel.account_record(id) as record
           from panel.accounts
           where username = $1 and state <> 'terminated' and ($2 or seller_id = $3)`,
    values: [username, owner.role === 'administrator', owner.sellerId],
  })
  const [row] = rows
  if (row === undefined) throw unknown(username)
  return row.record
}

const isName = (text: string): boolean => grammar.username.safeParse(text).success

/** What is no name is as unknown as a name that nobody has, and is not repeated. */
export const unknown = (username: string): PanelError =>
  new PanelError('not_found', isName(username) ? `Unknown account: ${username}` : 'Unknown account')

/** Many look-ups in one round trip: the record of each, nothing where it is unknown. */
export async function findMany(
  db: Db,
  wanted: { owner: Owner; username: string }[],
): Promise<(AccountRecord | undefined)[]> {
  const { rows } = await db.query<{ record: AccountRecord | null }>({
    name: 'find_accounts',
    // A look-up of its own for each, so that no plan ever reads all accounts.
    text: `select panel.account_record(found.id) as record
           from unnest($1::text[], $2::boolean[], $3::bigint[]) with ordinality
             as wanted (username, sees_all, seller_id, position)
           left join lateral (
             select a.id from panel.accounts a
             where a.username = wanted.username and a.state <> 'terminated'
               and (wanted.sees_all or a.seller_id = wanted.seller_id)
             limit 1) found on true
           order by wanted.position`,
    values: [
      wanted.map(({ username }) => (isName(username) ? username : null)),
      wanted.map(({ owner }) => owner.role === 'administrator'),
      wanted.map(({ owner }) => owner.sellerId),
    ],
  })
  return rows.map(({ record }) => record ?? undefined)
}

/** Adds the rows of an account that is about to be made on the machine; tells its id. */
export async function add(
  db: Db,
  sellerId: string,
  packageId: string,
  account: Omit<NewAccount, 'password' | 'package'> & { passwordHash: string },
  /** What the license permits on this server. */
  maxAccounts: number,
): Promise<string> {
  const { username, email, passwordHash, domain } = account
  const { rows } = await db.query<Added>(
    'select id, refusal, detail from panel.create_account($1, $2, $3, $4, $5, $6, $7)',
    [sellerId, packageId, username, email, passwordHash, domain ?? null, maxAccounts],
  )
  const { id, refusal, detail } = rows[0]!
  switch (refusal) {
    case 'username':
      throw new PanelError('invalid', `username ${username} is taken`)
    case 'domain':
      throw new PanelError('invalid', `domain ${domain} is taken`)
    case 'neighbour':
      throw new PanelError(
        'invalid',
        `domain ${domain} is part of a domain that is taken, or one that is taken is part of it`,
      )
    case 'package':
      throw notSold()
    case 'plan':
      throw new PanelError('forbidden', detail)
    case 'license':
      throw new PanelError('license_limit', detail)
    case null:
      return id
  }
}

type Added =
  | { id: string; refusal: null; detail: null }
  | { id: null; refusal: 'username' | 'domain' | 'neighbour' | 'package'; detail: null }
  | { id: null; refusal: 'plan' | 'license'; detail: string }

/** Judges a package change by the plan of the account's seller, and locks both for it. */
export async function judgePackage(db: Db, id: string, packageId: string): Promise<void> {
  const { rows } = await db.query<Judged>(
    'select refusal, detail from panel.judge_package_change($1, $2)',
    [id, packageId],
  )
  const { refusal, detail } = rows[0]!
  if (refusal === 'package') throw notSold()
  if (refusal === 'plan') throw new PanelError('forbidden', detail)
}

type Judged = { refusal: null | 'package'; detail: null } | { refusal: 'plan'; detail: string }

// It was, when the request was looked at.
const notSold = (): PanelError => new PanelError('invalid', 'package is not sold any more')

/** What `GET /accounts` may be asked for. */
export const AccountFilter = z.strictObject({
  after: grammar.username.optional().describe('Only usernames after this one'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('Accounts a page'),
  package: grammar.packageName.optional().describe('Only accounts on packages of this name'),
  state: z
    .enum(
      ['provisioning', 'active', 'suspended', 'terminating'],
      'must be provisioning, active, suspended or terminating',
    )
    .optional()
    .describe('Only accounts in this state'),
})

/** A page of the accounts that the owner sees, by username; `next` asks for the one after it. */
export async function list(
  db: Db,
  owner: Owner,
  filter: z.output<typeof AccountFilter>,
): Promise<z.infer<typeof AccountPage>> {
  const { rows } = await db.query<{ record: AccountRecord }>(
    `select panel.account_record(a.id) as record
     from panel.accounts a
     join panel.packages p on p.id = a.package_id
     where a.state <> 'terminated' and ($1 or a.seller_id = $2)
       and ($3::text is null or a.username collate "C" > $3)
       and ($4::text is null or p.name = $4)
       and ($5::text is null or a.state = $5)
     order by a.username collate "C"
     limit $6`,
    [
      owner.role === 'administrator',
      owner.sellerId,
      filter.after ?? null,
      filter.package ?? null,
      filter.state ?? null,
      filter.limit + 1,
    ],
  )
  const page = rows.slice(0, filter.limit).map(({ record }) => toAccount(record))
  const isLast = rows.length <= filter.limit
  return { accounts: page, next: isLast ? null : (page.at(-1)?.username ?? null) }
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

/** Those of these numbers whose accounts were terminated at least so many hours ago. */
export async function listTerminated(
  db: Db,
  uids: readonly number[],
  hours: number,
): Promise<number[]> {
  const { rows } = await db.query<{ uid: number }>(
    `select uid from panel.accounts
     where uid = any ($1) and state = 'terminated'
       and terminated_at <= now() - make_interval(hours => $2)
     order by terminated_at`,
    [uids, hours],
  )
  return rows.map(({ uid }) => uid)
}
