import { z } from 'zod'
import { all, type Db, type Pool, run, type Sql, sql, transaction } from '../../db.ts'
import type { Caller } from '../signing-in/callers.ts'
import { operationNames } from '../operations/operation-names.ts'

// Records who did what, when and from where. An operation is its own history; every other change is
// recorded in its transaction.

/** Subjects of the history in addition to operations; the first two concern everyone. */
export const subjects = [
  ...(['session', 'second-factor', 'token', 'operator', 'reseller'] as const),
  ...(['webhook', 'delivery', 'job', 'jobs', 'settings'] as const),
] as const

/** A change that is not an operation, as `resource kind/verb`. */
export type Change = {
  action: `${(typeof subjects)[number]}/${string}`
  /** The name of what it concerns; never a secret. */
  about: string | null
  /** The account or seller that it concerns, if that is not the caller's own. */
  accountId?: string | null
  sellerId?: string | null
}

/** The user who makes a change: `operator:3` or `account:5` during sign-in. */
export type By = Pick<Caller, 'address'> & { id: string }

/** Records a change, in its transaction. */
export const note = (db: Db, by: By, change: Change) => run(db)`
  select panel.note_history(
    ${by.id}, ${by.address}, ${change.action}, ${change.about}, ${change.accountId ?? null},
    ${change.sellerId ?? null})`

/** Makes a change that is not an operation and records it, in one transaction. */
export const recorded = <T>(
  pool: Pool,
  by: By,
  change: Change | ((made: T) => Change | undefined),
  make: (db: Db) => Promise<T>,
): Promise<T> =>
  transaction(pool, async db => {
    const made = await make(db)
    const noted = typeof change === 'function' ? change(made) : change
    if (noted !== undefined) await note(db, by, noted)
    return made
  })

/** One line of the history. */
export type Entry = {
  /** The cursor that `before` continues from. */
  cursor: string
  at: Date
  channel: 'page' | 'api' | 'cli' | 'panel'
  who: string
  role: 'administrator' | 'reseller' | 'customer' | null
  /** Null if it is unknown or hidden from the reader. */
  address: string | null
  action: string
  about: string | null
  /**
   * The detail of the action, such as a domain or a reason; null if it is hidden from the reader.
   */
  subject: string | null
  outcome: 'done' | 'refused' | 'failed' | 'cancelled' | 'in progress'
  reason: string | null
  /** The id of the operation, if it is one. */
  operation: string | null
}

/** The filters of the history. */
export const HistoryFilter = z.object({
  account: z.string().max(32).optional(),
  who: z.string().max(100).optional(),
  action: z
    .string()
    .regex(/^[a-z-]+(\/[a-z-]+)?$/, 'must be an action, such as token or token/create')
    .optional(),
  channel: z.enum(['page', 'api', 'cli', 'panel']).optional(),
  /** Only operations that this one caused. */
  cause: z.uuid().optional(),
  since: z.coerce.date().optional(),
  until: z.coerce.date().optional(),
  /** Only lines after the one with this cursor. */
  before: z
    .string()
    .regex(/^[0-9]{1,17}-[0-9a-h-]{1,40}$/, 'is not a position in the history')
    .optional(),
  limit: z.number().int().min(1).max(10_000).default(100),
})

export type HistoryFilter = z.input<typeof HistoryFilter>

/** Whether to leave out the operations that another one caused: `listCaused` sums them up. */
type Folding = { isFolded?: boolean }

/**
 * Returns the history, newest first: all of it for administrators, that of a reseller and its
 * accounts, or a customer's own.
 */
export async function listHistory(
  db: Db,
  caller: Caller,
  given: HistoryFilter = {},
  { isFolded = false }: Folding = {},
): Promise<Entry[]> {
  const filter = HistoryFilter.parse(given)
  const scope = scopeOf(caller)
  const kept = sql`
    select 'h' || h.id as key, h.at, h.channel, h.who, h.role, h.address, h.action, h.about,
      h.subject, h.account_id, h.seller_id, h.outcome, h.reason, h.operation_id as operation,
      h.cause
    from panel.history h`
  // Finished operations are indexed by their start; few are in progress.
  const ended = sql`${operations} where o.state in ('done', 'failed') and o.name is not null`
  const inProgress = sql`
    ${operations} where o.state in ('blocked', 'queued', 'running', 'undoing')`
  const part = (rows: Sql) => sql`
    (select * from (${rows}) e where ${scope} and ${matches(filter)}
       and ${isFolded ? sql`e.cause is null` : sql`true`}
     order by e.at desc, e.key desc limit ${filter.limit})`
  return all<Entry>(db)`
    select (extract(epoch from e.at) * 1000000)::bigint || '-' || e.key as cursor,
      e.at, e.channel, e.who, e.role, e.action, e.about, e.outcome, e.reason, e.operation,
      case when ${seesSubject(caller)} then e.subject end as subject,
      case when ${seesAddress(caller)} then host(e.address) end as address
    from (${part(kept)} union all ${part(ended)} union all ${part(inProgress)}) e
    order by e.at desc, e.key desc
    limit ${filter.limit}`
}

/** The operations that one has caused, for a line of the history. */
export type Caused = {
  cause: string
  total: number
  failed: number
  open: number
  /** The accounts of the first of them, by name. */
  first: string[]
}

/** Sums up what each of these operations has caused, as far as the caller sees it. */
export const listCaused = (db: Db, caller: Caller, causes: readonly string[]) => all<Caused>(db)`
  select cause, count(*)::integer as total,
    (count(*) filter (where outcome = 'failed'))::integer as failed,
    (count(*) filter (where outcome = 'in progress'))::integer as open,
    coalesce((array_agg(about order by about) filter (where about is not null))[:20], '{}') as first
  from (
    select h.cause, h.outcome, h.about, h.account_id, h.seller_id
    from panel.history h where h.cause = any (${causes}::uuid[])
    union all
    select e.cause, e.outcome, e.about, e.account_id, e.seller_id
    from (${operations} where o.cause = any (${causes}::uuid[])) e) e
  where ${scopeOf(caller)}
  group by cause`

// Selects operations in the form in which keep_history.sql records them.
const operations = sql`
  select o.id::text as key, o.created_at as at,
    case
      when o.token_id is not null then 'api'
      when o.session_id is not null then 'page'
      when o.key is not null then 'cli'
      else 'panel'
    end as channel,
    coalesce(o.caller_words, w.name || ', token ' || t.name, 'panel') as who,
    o.caller_role as role, o.address, o.name as action, o.username as about, o.subject,
    o.account_id,
    coalesce(a.seller_id, w.seller_id, of_session.seller_id) as seller_id,
    case
      when o.is_cancelled then 'cancelled'
      when o.state = 'failed' then 'failed'
      when o.state <> 'done' then 'in progress'
      when o.status >= 400 then 'refused'
      else 'done'
    end as outcome,
    o.reason, o.id as operation, o.cause
  from panel.operations o
  left join panel.accounts a on a.id = o.account_id
  left join panel.tokens t on t.id = o.token_id
  left join panel.operators w on w.id = t.operator_id
  left join panel.sessions s on s.id = o.session_id
  left join panel.operators of_session on of_session.id = s.operator_id`

function scopeOf({ role, sellerId, accountId }: Caller): Sql {
  if (role === 'administrator') return sql`true`
  return role === 'reseller' ? sql`e.seller_id = ${sellerId}` : sql`e.account_id = ${accountId}`
}

// Returns whether the reader sees an entry's address: not that of a user with a higher role.
function seesAddress({ role }: Caller): Sql {
  if (role === 'administrator') return sql`true`
  return role === 'reseller'
    ? sql`e.role is distinct from 'administrator'`
    : sql`(e.action = 'session/refuse'
        or e.role = 'customer' and e.who not like '%, signed in as by %')`
}

// Reasons for a suspension and the like are only shown to the roles that decide them.
const customersActions = Object.entries(operationNames)
  .filter(([, { roles }]) => roles.some(role => role === 'customer'))
  .map(([name]) => name)

const seesSubject = ({ role }: Caller): Sql =>
  role === 'customer' ? sql`e.action = any (${customersActions})` : sql`true`

function matches(filter: z.output<typeof HistoryFilter>): Sql {
  const { account, who, action, channel, cause, since, until, before } = filter
  const [, micros, key] = /^([0-9]+)-(.*)$/.exec(before ?? '') ?? []
  const conditions = [
    account === undefined
      ? undefined
      : sql`e.account_id in (select id from panel.accounts where username = ${account})`,
    who === undefined ? undefined : sql`(e.who = ${who} or starts_with(e.who, ${`${who}, `}))`,
    action === undefined
      ? undefined
      : sql`(e.action = ${action} or starts_with(e.action, ${`${action}/`}))`,
    channel === undefined ? undefined : sql`e.channel = ${channel}`,
    cause === undefined ? undefined : sql`e.cause = ${cause}`,
    since === undefined ? undefined : sql`e.at >= ${since}`,
    until === undefined ? undefined : sql`e.at < ${until}`,
    before === undefined
      ? undefined
      : sql`(e.at, e.key) < (
          timestamptz 'epoch' + interval '1 microsecond' * ${micros}::bigint, ${key}::text)`,
  ]
  return conditions.reduce<Sql>(
    (all, one) => (one === undefined ? all : sql`${all} and ${one}`),
    sql`true`,
  )
}
