import { z } from 'zod'
import { type Db, oneOrThrow } from '../../db.ts'
import { PanelError, statusByCode } from '../../errors.ts'
import * as accounts from '../accounts/accounts.ts'
import type { Caller } from '../signing-in/callers.ts'
import type { Answer } from '../operations/operations.ts'
import { Package } from '../sellers/packages.ts'
import { SignOnLink } from '../signing-in/sign-ons.ts'
import { listShown, type ShownOperation } from '../operations/shown-operations.ts'

/** The form of every refusal and failure (specification, Errors). */
export const ErrorAnswer = z.strictObject({
  error: z.string().describe('One sentence that a person can act on'),
  errors: z
    .array(
      z.strictObject({
        field: z.string().nullable().describe('As in `X-Panel-Field`'),
        reason: z.string().describe('As in `X-Panel-Reason`'),
        error: z.string().describe('A sentence about this field'),
      }),
    )
    .optional()
    .describe('Each refusal, if values of several fields cannot be had; left out otherwise'),
})

/** A write request as its caller can follow it. */
export const RequestJob = z.strictObject({
  id: z.uuid(),
  operation: z
    .string()
    .nullable()
    .describe('Its name; null if it was refused before it was parsed'),
  state: z.enum(['queued', 'running', 'succeeded', 'failed']),
  status: z.int().nullable().describe('The status of its answer'),
  result: z
    .union([accounts.Account, Package, SignOnLink, ErrorAnswer])
    .nullable()
    .describe('The answer as it was sent, or would have been'),
  error: z.string().nullable().describe('Why it failed or was refused'),
  reason: z.string().nullable().describe('The reason code, as in `X-Panel-Reason`'),
  field: z.string().nullable().describe('The field that caused it, as in `X-Panel-Field`'),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})

export type RequestJob = z.infer<typeof RequestJob>

/** A job in the list of an account, without its answer: only its caller may see that. */
export const AccountJob = RequestJob.omit({ status: true, result: true, reason: true, field: true })

export const AccountJobList = z.strictObject({ jobs: z.array(AccountJob) })

type Row = Omit<Answer, 'status'> & {
  id: string
  name: string | null
  isCancelled: boolean
  state: 'claimed' | 'blocked' | 'queued' | 'running' | 'undoing' | 'done' | 'failed'
  status: number | null
  createdAt: Date
  finishedAt: Date | null
}

/** Returns the job of a request; only the caller that made the request sees it. */
export async function get(
  db: Db,
  caller: Caller,
  id: string,
  /** Decrypts a stored answer. */
  unseal: (body: Buffer) => Buffer,
): Promise<RequestJob> {
  const unknown = new PanelError('job_unknown', 'Unknown job')
  if (!z.uuid().safeParse(id).success) throw unknown
  const row = await oneOrThrow<Row>(db, () => unknown)`
    select o.id, o.name, o.state, o.status, o.body, o.reason, o.field, o.is_sealed as "isSealed",
      o.created_at as "createdAt", o.finished_at as "finishedAt",
      o.is_cancelled as "isCancelled"
    from panel.operations o
    where o.id = ${id} and o.caller = ${caller.id}`
  return toJob(row, unseal)
}

/** Lists the latest jobs of an account that the caller sees, of all callers, newest first. */
export async function listOf(
  db: Db,
  caller: Caller,
  username: string,
  limit: number,
): Promise<z.infer<typeof AccountJob>[]> {
  const { id: of } = await accounts.get(db, caller, username)
  const shown = await listShown(db, caller, { of, limit })
  return shown.map(({ id, name, state, error, created_at, finished_at }) => ({
    id,
    operation: name,
    state: stateOfShown[state],
    error: isFailure(state) ? failureOf({ isCancelled: state === 'cancelled' }).message : error,
    created_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
  }))
}

const isFailure = (state: ShownOperation['state']) => ['failed', 'cancelled'].includes(state)

const stateOfShown: Record<ShownOperation['state'], RequestJob['state']> = {
  blocked: 'queued',
  queued: 'queued',
  running: 'running',
  undoing: 'running',
  done: 'succeeded',
  refused: 'failed',
  failed: 'failed',
  cancelled: 'failed',
}

function toJob(row: Row, unseal: (body: Buffer) => Buffer): RequestJob {
  const body = row.body && row.isSealed ? unseal(row.body) : row.body
  const result = body === null ? null : JSON.parse(body.toString())
  const isRefused = row.status !== null && row.status >= 400
  const failure = row.state === 'failed' ? failureOf(row) : undefined
  return {
    id: row.id,
    operation: row.name,
    state: stateOf(row),
    status: failure === undefined ? row.status : statusByCode[failure.code],
    result,
    error: failure?.message ?? (isRefused ? result.error : null),
    reason: failure?.code ?? row.reason,
    field: failure === undefined ? row.field : null,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  }
}

// Returns a general error: the reason of a failure is only for administrators, and a repeat starts
// again.
export const failureOf = ({ isCancelled }: { isCancelled: boolean }): PanelError =>
  isCancelled ? new PanelError('cancelled', cancelled) : new PanelError('failed', failed)

const cancelled =
  'An administrator cancelled the request before it started; nothing was done, you can repeat it'
const failed = 'The operation failed and was undone; it can be retried'

function stateOf({ state, status }: Row): RequestJob['state'] {
  if (state === 'running' || state === 'undoing') return 'running'
  if (state === 'failed') return 'failed'
  if (state === 'done') return status !== null && status < 400 ? 'succeeded' : 'failed'
  return 'queued'
}
