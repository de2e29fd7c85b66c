import { z } from 'zod'
import { anyFirst, type Db, maybeOne } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import * as grammar from '../grammar/grammar.ts'
import { isSeenBy, mayLift, scopeOf, type Caller } from '../signing-in/callers.ts'
import type { Subject } from '../operations/operations.ts'
import { sslState } from '../kinds/sites.ts'
import { recordSchemas } from '../sellers/package-limits.ts'
import { recordShape, type HostSecrets } from '../operations/resource-kinds.ts'
import { WarningRow } from './warnings.ts'
import { write, type Write } from '../operations/writes.ts'

const state = z.enum(['provisioning', 'active', 'suspended', 'terminating', 'terminated'])

const by = z.enum(['administrator', 'reseller'])

/** An account as answers show it. */
export const Account = z.strictObject({
  username: z.string(),
  email: z.string(),
  package: z.string().describe('The name of its package'),
  reference: z.string().nullable().describe("The caller's own name for it, sent with its create"),
  seller: z
    .string()
    .nullable()
    .describe("The reseller whose customer it is; null in the server's own catalogue"),
  state: state.describe('`provisioning` while its create is in progress'),
  domain: z.string().nullable().describe('The first website, if there is one'),
  sites: z.array(
    z.strictObject({
      domain: z.string(),
      ssl: sslState.describe('`none`: the domain does not point to the server'),
    }),
  ),
  suspend_reason: z.string().nullable(),
  suspended_by: by
    .nullable()
    .describe('Who suspended it; a reseller cannot lift the suspension of an administrator'),
  warnings: z.array(z.string()).describe('What the server cannot enforce for this account'),
  created_at: z.iso.datetime(),
  suspended_at: z.iso.datetime().nullable(),
})

export type Account = z.infer<typeof Account>

/** One account as the database returns it (generated-functions.ts). */
export const AccountRecord = z.strictObject({
  id: z.string(),
  sellerId: z.string(),
  /** Null for an account in the server's own catalogue. */
  seller: z.string().nullable(),
  uid: z.int(),
  username: z.string(),
  email: z.string(),
  reference: z.string().nullable(),
  desired: z.enum(['active', 'suspended', 'terminated']),
  state,
  isApplied: z.boolean(),
  warnings: z.array(WarningRow),
  /**
   * The actual suspension; the two fields below are desired, so an operation may be changing it.
   */
  suspension: z.strictObject({ reason: z.string().nullable(), by: by.nullable() }).nullable(),
  suspendReason: z.string().nullable(),
  suspendedBy: by.nullable(),
  suspendedAt: z.string().nullable(),
  createdAt: z.string(),
  package: z.strictObject({
    name: z.string(),
    ...recordSchemas,
  }),
  ...recordShape,
})

export type AccountRecord = z.infer<typeof AccountRecord>

/** The functions by which operations write an account's row when they start and end. */
export const account: Subject = {
  find: 'find_account',
  writeDesired: 'write_desired_account',
  complete: 'complete_account',
}

/** Returns the account of that name if the caller may see it. */
export async function get(db: Db, caller: Caller, username: string): Promise<AccountRecord> {
  const [record] = await findMany(db, [{ caller, username }])
  if (record === undefined) throw unknown(username)
  return record
}

/** The fields of an account that most writes need. */
type AccountHead = Pick<AccountRecord, 'id' | 'state' | 'suspendedBy'>

async function getHead(db: Db, caller: Caller, username: string): Promise<AccountHead> {
  if (!isName(username)) throw unknown(username)
  const head = await maybeOne<AccountHead>(db, 'get_account')`
    select a.id, a.state, a.suspended_by as "suspendedBy"
    from panel.accounts a
    where a.username = ${username} and a.state <> 'terminated' and ${isSeenBy(caller)}`
  if (head === undefined) throw unknown(username)
  return head
}

/** Names the account of a write; an invalid name is answered like an unknown one. */
export type Named = { username: string }

/** Defines a write about one account, which is looked up among those that the caller sees. */
export const onAccount = <Change = unknown, Prepared = undefined>(
  definition: Omit<Write<Named & Change, AccountHead, Prepared>, 'find'>,
): Write<Named & Change> =>
  write<Named & Change, AccountHead, Prepared>({
    ...definition,
    find: (db, { caller, desired }) => getHead(db, caller, desired.username),
    async decide(db, decidable) {
      const isKept = decidable.found.suspendedBy === 'administrator'
      if (isKept && !mayLift(decidable.caller, definition.name)) throw suspendedByAdmin()
      return definition.decide(db, decidable)
    },
  })

/** Only an administrator can lift a suspension by an administrator. */
export const suspendedByAdmin = (): PanelError =>
  new PanelError('suspended_by_administrator', 'An administrator has suspended this account')

/** Returns whether a text has the form of a username; anything else is never looked up. */
export const isName = (text: string): boolean => grammar.userName.safeParse(text).success

/** The error for an unknown account. An invalid name is not repeated in it. */
export const unknown = (username: string): PanelError =>
  new PanelError(
    'account_unknown',
    isName(username) ? `Unknown account: ${username}` : 'Unknown account',
  )

/** Looks up many accounts in one round trip; returns the record of each, or undefined. */
export async function findMany(
  db: Db,
  desired: { caller: Caller; username: string }[],
): Promise<(AccountRecord | undefined)[]> {
  const scopes = desired.map(({ caller }) => scopeOf(caller))
  const { rows } = await db.query<{ record: AccountRecord | null }>({
    name: 'find_accounts',
    text: 'select record from panel.find_accounts($1, $2, $3, $4) as record',
    values: [
      desired.map(({ username }) => (isName(username) ? username : null)),
      scopes.map(({ all }) => all),
      scopes.map(({ seller }) => seller),
      scopes.map(({ account }) => account),
    ],
  })
  return rows.map(({ record }) => record ?? undefined)
}

/** Converts a record to its form in answers. */
export const toAccount = (record: AccountRecord): Account => ({
  username: record.username,
  email: record.email,
  package: record.package.name,
  reference: record.reference,
  seller: record.seller,
  state: record.state,
  domain: sitesOf(record)[0]?.domain ?? null,
  sites: sitesOf(record).map(({ domain, ssl }) => ({ domain, ssl })),
  suspend_reason: record.suspension?.reason ?? null,
  suspended_by: record.suspension?.by ?? null,
  warnings: record.warnings.map(({ sentence }) => sentence),
  created_at: toTime(record.createdAt),
  suspended_at: record.suspendedAt === null ? null : toTime(record.suspendedAt),
})

/** Returns an account's websites, oldest first, without those that are still being added. */
export const sitesOf = ({ sites }: Pick<AccountRecord, 'sites'>): AccountRecord['sites'] =>
  sites.filter(({ isNew }) => !isNew)

// Returns RFC 3339 in UTC with milliseconds, in whatever time zone PostgreSQL printed it.
const toTime = (text: string): string => new Date(text).toISOString()

/** Returns the account's record for the machine; undefined if the account is gone. */
export const findForMachine = (db: Db, id: string | null) =>
  maybeOne<{ record: AccountRecord } & HostSecrets>(db)`
  select r.record, a.password_hash as "passwordHash", panel.secret_parts(a.id) as parts
  from panel.accounts a cross join panel.account_record(a.id) r
  where a.id = ${id} and a.state <> 'terminated'`

/** The end of accounts: at least `hours` ago, and not after `until`, a time in ISO 8601. */
export type Ended = { hours?: number; until?: string | null }

/** Returns those of the user numbers whose accounts were terminated then. */
export const listTerminated = (
  db: Db,
  uids: readonly number[],
  { hours = 0, until = null }: Ended,
) => anyFirst<number>(db)`
    select uid from panel.accounts
    where uid = any (${uids}) and state = 'terminated'
      and terminated_at <= now() - make_interval(hours => ${hours})
      and terminated_at <= coalesce(${until}::timestamptz, 'infinity')
    order by terminated_at`
