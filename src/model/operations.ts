import type { Db } from '../db.ts'
import type { AccountRecord } from './accounts.ts'

// A write request and the answer it was given. What may happen to the row is in sql/functions;
// this is what the request's side and the worker's side say about it.

export type OperationName =
  | 'account/create'
  | 'account/suspend'
  | 'account/unsuspend'
  | 'account/change-package'
  | 'account/set-password'
  | 'account/terminate'

/** What a caller gets, and what is recorded, byte for byte. */
export type Answer = {
  status: number
  body: Buffer
  location: string | null
  /** The stored body is encrypted under a key that only the caller's token yields. */
  isSealed: boolean
}

/** Work on an account, and the account's columns that it wants changed. */
export type Job = { name: OperationName; accountId: string; wants: Wants }

export type Wants = {
  wanted?: 'active' | 'suspended' | 'terminated'
  suspend_reason?: string | null
  suspended_by?: Owner['role'] | null
  package_id?: string
  password_hash?: string
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
    text: `select id, outcome, epoch, status, body, location, is_sealed as "isSealed"
           from panel.claim_operation($1, $2, $3)`,
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
    text: `select id, status, body, location, is_sealed as "isSealed", epoch,
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

const toAnswer = ({ status, body, location, isSealed }: Answer): Answer => ({
  status,
  body,
  location,
  isSealed,
})

function toClaim({ id, outcome, epoch, ...answer }: ClaimRow): Claim {
  if (outcome === 'done') return { outcome, id, answer: toAnswer(answer) }
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
    text: 'select panel.answer_operation($1, $2, $3, $4, $5)',
    values: [id, recorded.status, recorded.body, recorded.location, recorded.isSealed],
  })
}

/** How an operation has ended; the epoch tells this end from that of an earlier try. */
export type Outcome = { id: string; epoch: number } & (
  | { state: 'done'; answer: Answer }
  /** A cancelled one had not begun. */
  | { state: 'failed'; isCancelled: boolean }
)

/**
 * What a wake-up says: always which operation has ended, and how, if the answer was short enough
 * (finish_operation.sql).
 */
export function heard(payload: string): { id: string; outcome: Outcome | undefined } {
  const [, id, epoch, status, location, body = ''] =
    /^(\S+) (\d+) (\d+) (\S*) (.*)$/s.exec(payload) ?? []
  if (id === undefined) return { id: payload, outcome: undefined }
  const answer = {
    status: Number(status),
    body: Buffer.from(body),
    location: location || null,
    isSealed: false,
  }
  return { id, outcome: { id, epoch: Number(epoch), state: 'done', answer } }
}

/** Those of the given operations that have ended. */
export async function findEnded(db: Db, ids: string[]): Promise<Outcome[]> {
  type Row = { id: string; epoch: number; state: 'done' | 'failed'; isCancelled: boolean }
  const { rows } = await db.query<Row & Answer>({
    name: 'find_ended_operations',
    text: `select id, epoch, state, is_cancelled as "isCancelled", status, body, location,
             is_sealed as "isSealed"
           from panel.operations
           where id = any ($1) and state in ('done', 'failed')`,
    values: [ids],
  })
  return rows.map(({ id, epoch, state, isCancelled, ...answer }) =>
    state === 'done'
      ? { id, epoch, state, answer: toAnswer(answer) }
      : { id, epoch, state, isCancelled },
  )
}

/** A started operation, as the worker has to judge it. */
export type Started = {
  epoch: number
  /** How often it was started: more than once means that it was interrupted. */
  starts: number
  state: 'running' | 'undoing'
  username: string
  /** Who had suspended the account before. */
  foundSuspendedBy: Owner['role'] | null
  /** On whose behalf it was asked; null for what no request asked for. */
  ownerRole: Owner['role'] | null
  /** Null where the account is gone. */
  account: AccountRecord | null
  passwordHash: string | null
  /** Why what is wanted cannot be, where a row asks for what the schema forbids. */
  error: string | null
}

/**
 * Starts an operation, or starts it again, and takes its account's lock for the session: nothing
 * where it has ended or is not its turn, `busy` where another session has the account.
 */
export async function start(session: Db, id: string): Promise<Started | 'busy' | undefined> {
  const { rows } = await session.query<Started & { isHeld: boolean }>({
    name: 'start_operation',
    text: `select is_held as "isHeld", epoch, starts, state, username,
             found_suspended_by as "foundSuspendedBy", owner_role as "ownerRole",
             account, password_hash as "passwordHash", error
           from panel.start_operation($1)`,
    values: [id],
  })
  const [row] = rows
  return row === undefined || row.isHeld ? row : 'busy'
}

/** Gives back the account's lock of an operation that was started in this session. */
export async function letGo(session: Db, accountId: string | undefined): Promise<void> {
  if (accountId === undefined) return
  const text = 'select pg_advisory_unlock($1)'
  await session.query({ name: 'unlock_account', text, values: [accountId] })
}

/**
 * One step of a start: when it began after the start, and how long it took, or has taken until now
 * where it is under way.
 */
export type Step = {
  step: string
  at_ms: number
  ms: number
  failed?: true | undefined
  running?: true | undefined
}

/** What a finished operation leaves, committed together with its answer. */
export type Result = Omit<Answer, 'isSealed'> & {
  /** The account's state from now on; null leaves it as it is. */
  state: AccountRecord['state'] | null
  warnings: string[]
  changedAt: Date
  events: { name: string; body: Buffer }[]
  /** Those of them for which there are hook scripts. */
  scripted: string[]
  steps: Step[]
}

/** False where a later start has taken over: then nothing was written. */
export async function finish(db: Db, id: string, epoch: number, result: Result): Promise<boolean> {
  const { rows } = await db.query<{ done: boolean }>({
    name: 'finish_operation',
    text: `select panel.finish_operation(
             $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as done`,
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
      result.scripted,
      JSON.stringify(result.steps),
    ],
  })
  return rows[0]?.done === true
}

/**
 * Commits that undo begins, and the answer to keep where it was a refusal; tells the account to
 * undo for, nothing where a later start has it.
 */
export async function undo(
  db: Db,
  id: string,
  epoch: number,
  error: string,
  refusal: Pick<Answer, 'status' | 'body'> | null,
): Promise<Pick<Started, 'account' | 'passwordHash'> | undefined> {
  const { rows } = await db.query<Pick<Started, 'account' | 'passwordHash'>>(
    `select account, password_hash as "passwordHash"
     from panel.undo_operation($1, $2, $3, $4, $5)`,
    [id, epoch, error, refusal?.status, refusal?.body],
  )
  return rows[0]
}

/** Ends an undone operation: failed without an answer, or refused with the one that was kept. */
export async function release(
  db: Db,
  id: string,
  epoch: number,
  isApplied: boolean,
  steps: Step[],
): Promise<boolean> {
  const { rows } = await db.query<{ done: boolean }>(
    'select panel.release_operation($1, $2, $3, $4) as done',
    [id, epoch, isApplied, JSON.stringify(steps)],
  )
  return rows[0]?.done === true
}

/** Leaves an operation that has to go on, but cannot now, to the sweeper. */
export async function defer(
  db: Db,
  id: string,
  epoch: number,
  error: string,
  steps: Step[],
): Promise<void> {
  await db.query('select panel.defer_operation($1, $2, $3, $4)', [
    id,
    epoch,
    error,
    JSON.stringify(steps),
  ])
}
