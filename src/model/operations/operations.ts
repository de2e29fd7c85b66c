import { z } from 'zod'
import { all, type Db, run } from '../../db.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Caller } from '../signing-in/callers.ts'
import type { OperationName } from './operation-names.ts'

// A write request and its answer. The transitions of the row are in sql/functions; these are the
// calls of them by the request's side and the worker's.

/** An answer as it is sent and recorded, byte for byte. */
export type Answer = {
  status: number
  body: Buffer
  location: string | null
  /** The code, if it is a refusal. */
  reason: ErrorCode | null
  /** The field that caused a refusal. */
  field: string | null
  /** Whether the stored body is encrypted with a key that only the caller's secret yields. */
  isSealed: boolean
}

export type Claim =
  | { outcome: 'new'; id: string; epoch: number }
  | { outcome: 'running' | 'mismatch'; id: string }
  | { outcome: 'done'; id: string; answer: Answer }

export type ClaimedRequest = {
  callerId: Caller['id']
  key: string
  fingerprint: Buffer
  /** The caller as text, for lists. */
  words: string | null
  address: string | null
  /** The subject that its write reports; not needed for a look-up. */
  subject?: string | null
}

type ClaimRow = { id: string; outcome: Claim['outcome']; epoch: number } & Answer

/** Claims a request's key inside the caller's transaction. */
export const claim = (db: Db, request: ClaimedRequest): Promise<Claim> => ask(db, request, false)

/**
 * Looks up a key without claiming it, so that costly preparation can be skipped for a repeat. A row
 * that a claim would take over counts as new.
 */
export const lookUp = (db: Db, request: ClaimedRequest): Promise<Claim> => ask(db, request, true)

async function ask(
  db: Db,
  { callerId, key, fingerprint, words, address, subject = null }: ClaimedRequest,
  isLookup: boolean,
): Promise<Claim> {
  const { rows } = await db.query<ClaimRow>({
    name: 'claim_operation',
    text: `select id, outcome, epoch, status, body, location, reason, field,
             is_sealed as "isSealed"
           from panel.claim_operation($1, $2, $3, $4, $5, $6, $7)`,
    values: [callerId, key, fingerprint, isLookup, words, address, subject],
  })
  return toClaim(rows[0]!)
}

function toClaim({ id, outcome, epoch, ...answer }: ClaimRow): Claim {
  if (outcome === 'done') return { outcome, id, answer }
  return outcome === 'new' ? { outcome, id, epoch } : { outcome, id }
}

/** Queues a claimed request for the worker: its turn comes when the lane is free. */
export async function begin(
  db: Db,
  id: string,
  name: OperationName,
  /** Null for the server's own lane. */
  accountId: string | null,
  params: object,
): Promise<void> {
  await run(db, 'begin_operation')`
    select panel.begin_operation(${id}, ${name}, ${accountId}, ${params})`
}

/** Records the answer of a claimed request that needs no work. */
export async function answer(
  db: Db,
  id: string,
  name: OperationName,
  accountId: string | null,
  /** The requested name, even if no account has it. */
  username: string | null,
  { status, body, location, reason, field, isSealed }: Answer,
): Promise<void> {
  await run(db, 'answer_operation')`
    select panel.answer_operation(
      ${id}, ${name}, ${accountId}, ${username}, ${status}, ${body}, ${location}, ${isSealed},
      ${reason}, ${field})`
}

/** The end of an operation; the epoch distinguishes it from that of an earlier attempt. */
export type Outcome = { id: string; epoch: number } & (
  | { state: 'done'; answer: Answer }
  /** A cancelled operation had not started. */
  | { state: 'failed'; isCancelled: boolean }
)

// The payload that notify_finished.sql sends.
const Finished = z.tuple([
  z.uuid(),
  z
    .string()
    .regex(/^[0-9]{1,10}$/)
    .transform(Number),
])

/**
 * Parses a notification that an operation has ended. It never carries the answer: every role can
 * listen to a channel, and every role can send to it.
 */
export function parseFinished(payload: string): { id: string; epoch: number } | undefined {
  const { data } = Finished.safeParse(payload.split(' '))
  return data === undefined ? undefined : { id: data[0], epoch: data[1] }
}

/** Returns those of the given operations that have ended. */
export async function findEnded(db: Db, ids: string[]): Promise<Outcome[]> {
  type Row = { id: string; epoch: number; state: 'done' | 'failed'; isCancelled: boolean }
  const rows = await all<Row & Answer>(db, 'find_ended_operations')`
    select id, epoch, state, is_cancelled as "isCancelled", status, body, location,
      reason, field, is_sealed as "isSealed"
    from panel.operations
    where id = any (${ids}) and state in ('done', 'failed')`
  return rows.map(({ id, epoch, state, isCancelled, ...answer }) =>
    state === 'done' ? { id, epoch, state, answer } : { id, epoch, state, isCancelled },
  )
}

/**
 * The functions by which an operation writes to its subject, in the transactions of its start and
 * its end: named by its definition, never by a row.
 */
export type Subject = {
  find: `find_${string}`
  writeDesired: `write_desired_${string}`
  complete: `complete_${string}`
}

/** A resource in an account's lane: `about` is the part of the resource that a task gets. */
export type AccountSubject<About> = Subject & { about: z.ZodType<About> }

/** A started operation for the worker. */
export type Started = {
  id: string
  epoch: number
  /** The number of starts: more than one means that it was interrupted. */
  starts: number
  state: 'running' | 'undoing'
  /** Null if the account is gone. */
  lane: string | null
  username: string | null
  /** The values that its resource kind's function found; null if it has no such function. */
  seen: unknown
}

/**
 * Starts or restarts an operation and takes its lane's lock for the session. Returns nothing if it
 * has ended or it is not its turn, `busy` if another session has the lane.
 */
export async function start(
  session: Db,
  subject: Subject | null,
  id: string,
): Promise<Started | 'busy' | undefined> {
  const { rows } = await session.query<Started | { id: null }>({
    name: `start_operation ${subject?.writeDesired}`,
    text: `select s.id, s.epoch, s.starts, s.state, s.lane, s.username,
             ${seenBy(subject, 's')}
           from panel.start_operation($1, ${subject ? `panel.${subject.find}($1)` : `'{}'`}) s`,
    values: [id],
  })
  const [row] = rows
  return row === undefined || row.id !== null ? row : 'busy'
}

/** Subtracts starts that were lost with the connection to the database. */
export const forgive = (db: Db, starts: readonly Pick<Started, 'id' | 'epoch'>[]) => run(db)`
  select panel.forgive_starts(
    ${starts.map(({ id }) => id)}, ${starts.map(({ epoch }) => epoch)})`

const seenBy = (subject: Subject | null, of: string): string =>
  subject === null ? 'null as seen' : `panel.${subject.writeDesired}(${of}.id) as seen`

/**
 * A step of a start: its offset from the start and its duration, until now if it is in progress.
 */
export type Step = {
  step: string
  at_ms: number
  ms: number
  failed?: true | undefined
  /** Why it failed; the operation's error may have details. */
  error?: string | undefined
  running?: true | undefined
}

/** The result of a finished operation, committed together with its answer. */
export type Result = Omit<Answer, 'isSealed'> & {
  /** The argument of its resource kind's function; null changes nothing. */
  change: object | null
  events: { name: string; body: Buffer }[]
  /** The events that have hook scripts. */
  scripted: string[]
  steps: Step[]
}

/** Finishes an operation. Returns false, and writes nothing, if a later start has taken over. */
export async function finish(
  db: Db,
  subject: Subject | null,
  { id, epoch }: Pick<Started, 'id' | 'epoch'>,
  result: Result,
): Promise<boolean> {
  const isCompleted = subject !== null && result.change !== null
  const { rows } = await db.query<{ done: boolean }>({
    name: `finish_operation ${isCompleted && subject.complete}`,
    text: `select f.id is not null as done
             ${isCompleted ? `, panel.${subject.complete}(f.id, $12)` : ''}
           from panel.finish_operation(
             $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) f (id)`,
    values: [
      id,
      epoch,
      result.status,
      result.body,
      result.location,
      result.events.map(event => event.name),
      result.events.map(event => event.body),
      result.scripted,
      JSON.stringify(result.steps),
      result.reason,
      result.field,
      ...(isCompleted ? [result.change] : []),
    ],
  })
  return rows[0]?.done === true
}

/**
 * Commits that the undo begins, and the answer to keep if it was a refusal. Returns the values that
 * its resource kind's function then finds; nothing if a later start has taken over.
 */
export async function undo(
  db: Db,
  subject: Subject | null,
  { id, epoch }: Pick<Started, 'id' | 'epoch'>,
  error: string,
  refusal: Answer | null,
): Promise<Pick<Started, 'seen'> | undefined> {
  const { rows } = await db.query<{ id: string | null } & Pick<Started, 'seen'>>(
    `select u.id, ${seenBy(subject, 'u')} from 
     panel.undo_operation($1, $2, $3, $4, $5, $6, $7) u (id)`,
    [id, epoch, error, refusal?.status, refusal?.body, refusal?.reason, refusal?.field],
  )
  const [row] = rows
  return row?.id == null ? undefined : row
}

/**
 * Ends an undone operation: failed without an answer, or refused with the stored answer.
 *
 * @param undoError why the undo is incomplete; null if it is complete
 */
export async function release(
  db: Db,
  subject: Subject | null,
  { id, epoch }: Pick<Started, 'id' | 'epoch'>,
  undoError: string | null,
  steps: Step[],
): Promise<void> {
  const complete = subject === null ? '$5::jsonb' : `panel.${subject.complete}(r.id, $5)`
  await db.query(`select ${complete} from panel.release_operation($1, $2, $3, $4) r (id)`, [
    id,
    epoch,
    undoError,
    JSON.stringify(steps),
    { is_undone: undoError === null },
  ])
}

/** Hands an operation that must continue, but cannot now, to the sweeper. */
export async function defer(
  db: Db,
  { id, epoch }: Pick<Started, 'id' | 'epoch'>,
  error: string,
  steps: Step[],
): Promise<void> {
  await run(db)`
    select panel.defer_operation(${id}, ${epoch}, ${error}, ${JSON.stringify(steps)})`
}
