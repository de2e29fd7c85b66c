import type { Db } from '../db.ts'
import type { AccountRecord } from './accounts.ts'

// A write request and the answer it was given. What may happen to the row is in sql/functions;
// this is what the request's side and the worker's side say about it.

export type OperationName = 'account/create' | 'account/suspend' | 'account/unsuspend'

/** What a caller gets, and what is recorded, byte for byte. */
export type Answer = { status: number; body: Buffer; location: string | null }

/** Work on an account, and the account's columns that it wants changed. */
export type Job = { name: OperationName; accountId: string; wants: Wants }

export type Wants = {
  wanted?: 'active' | 'suspended' | 'terminated'
  suspend_reason?: string | null
  suspended_by?: Owner['role'] | null
}

type Owner = { role: 'administrator' | 'reseller' }

export type Claim =
  | { outcome: 'new'; id: string; epoch: number }
  | { outcome: 'running' | 'mismatch'; id: string }
  | { outcome: 'done'; id: string; answer: Answer }

export type ClaimedRequest = { tokenId: string; key: string; fingerprint: Buffer }

type ClaimRow = { id: string; outcome: Claim['outcome']; epoch: number } & Answer

/** Claims a request's key inside the caller's transaction. */
export async function claim(db: Db, request: ClaimedRequest): Promise<Claim> {
  const { rows } = await db.query<ClaimRow>({
    name: 'claim_operation',
    text: 'select * from panel.claim_operation($1, $2, $3)',
    values: [request.tokenId, request.key, request.fingerprint],
  })
  return toClaim(rows[0]!)
}

/**
 * What a claim would find, claiming nothing: lets costly preparation be skipped for a repeat.
 * A row that a claim would take over counts as new.
 */
export async function peek(db: Db, request: ClaimedRequest): Promise<Claim | undefined> {
  const { rows } = await db.query<ClaimRow>({
    name: 'peek_operation',
    text: `select id, status, body, location, epoch,
             case
               when fingerprint <> $3 then 'mismatch'
               when state = 'done' then 'done'
               else 'running'
             end as outcome
           from panel.operations
           where token_id = $1 and key = $2 and state <> 'failed'
             and not (state = 'done' and created_at <= now() - interval '24 hours')`,
    values: [request.tokenId, request.key, request.fingerprint],
  })
  return rows[0] && toClaim(rows[0])
}

function toClaim({ id, outcome, epoch, status, body, location }: ClaimRow): Claim {
  if (outcome === 'done') return { outcome, id, answer: { status, body, location } }
  return outcome === 'new' ? { outcome, id, epoch } : { outcome, id }
}

/** Makes a claimed request work for the worker: its turn comes when the account's lane is free. */
export async function begin(db: Db, id: string, job: Job): Promise<void> {
  await db.query({
    name: 'begin_operation',
    text: 'select panel.begin_operation($1, $2, $3, $4)',
    values: [id, job.name, job.accountId, job.wants],
  })
}

/** Records the answer of a claimed request that needs no work. */
export async function answer(db: Db, id: string, recorded: Answer): Promise<void> {
  await db.query({
    name: 'answer_operation',
    text: 'select panel.answer_operation($1, $2, $3, $4)',
    values: [id, recorded.status, recorded.body, recorded.location],
  })
}

/** How an operation has ended; the epoch tells this end from that of an earlier try. */
export type Outcome = { id: string; epoch: number } & (
  { state: 'done'; answer: Answer } | { state: 'failed' }
)

/** Those of the given operations that have ended. */
export async function findEnded(db: Db, ids: string[]): Promise<Outcome[]> {
  const { rows } = await db.query<{ id: string; epoch: number; state: 'done' | 'failed' } & Answer>(
    {
      name: 'find_ended_operations',
      text: `select id, epoch, state, status, body, location
           from panel.operations
           where id = any ($1) and state in ('done', 'failed')`,
      values: [ids],
    },
  )
  return rows.map(({ id, epoch, state, status, body, location }) =>
    state === 'done'
      ? { id, epoch, state, answer: { status, body, location } }
      : { id, epoch, state },
  )
}

/** A started operation, as the worker has to judge it. */
export type Started = {
  epoch: number
  /** How often it was started: more than once means that it was interrupted. */
  starts: number
  state: 'running' | 'undoing'
  username: string
  createdAt: Date
  /** Null where the account is gone. */
  account: AccountRecord | null
  passwordHash: string | null
}

/** Starts an operation, or starts it again; nothing where it has ended or is not its turn. */
export async function start(db: Db, id: string): Promise<Started | undefined> {
  const { rows } = await db.query<Started>({
    name: 'start_operation',
    text: `select epoch, starts, state, username, created_at as "createdAt", account,
             password_hash as "passwordHash"
           from panel.start_operation($1)`,
    values: [id],
  })
  return rows[0]
}

/** What a finished operation leaves, committed together with its answer. */
export type Result = Answer & {
  /** The account's state from now on; null leaves it as it is. */
  state: AccountRecord['state'] | null
  warnings: string[]
  changedAt: Date
  events: { name: string; body: Buffer }[]
}

/** False where a later start has taken over: then nothing was written. */
export async function finish(db: Db, id: string, epoch: number, result: Result): Promise<boolean> {
  const { rows } = await db.query<{ done: boolean }>({
    name: 'finish_operation',
    text: 'select panel.finish_operation($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as done',
    values: [
      id,
      epoch,
      result.status,
      result.body,
      result.location,
      result.state,
      result.warnings,
      result.changedAt,
      result.events.map(event => event.name),
      result.events.map(event => event.body),
    ],
  })
  return rows[0]?.done === true
}

/** Commits that undo begins; tells the account to undo for, nothing where a later start has it. */
export async function undo(
  db: Db,
  id: string,
  epoch: number,
  error: string,
): Promise<{ account: AccountRecord | null } | undefined> {
  const { rows } = await db.query<{ account: AccountRecord | null }>(
    'select * from panel.undo_operation($1, $2, $3) as account',
    [id, epoch, error],
  )
  return rows[0]
}

/** Ends an undone operation: failed without an answer, or refused with one. */
export async function release(
  db: Db,
  id: string,
  epoch: number,
  refusal: Answer | null,
  isApplied: boolean,
): Promise<boolean> {
  const { rows } = await db.query<{ done: boolean }>(
    'select panel.release_operation($1, $2, $3, $4, $5) as done',
    [id, epoch, refusal?.status, refusal?.body, isApplied],
  )
  return rows[0]?.done === true
}

/** Leaves an undo that could not be completed to the sweeper. */
export async function defer(db: Db, id: string, epoch: number, error: string): Promise<void> {
  await db.query('select panel.defer_operation($1, $2, $3)', [id, epoch, error])
}
