import { z } from 'zod'
import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { Answer } from './operations.ts'

/** A write request as its caller may follow it (api.md, Job). */
export const RequestJob = z.strictObject({
  id: z.uuid(),
  state: z.enum(['queued', 'running', 'succeeded', 'failed']),
  status: z.int().nullable().describe('The status of its answer'),
  result: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The answer, as it was or would have been sent'),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})

export type RequestJob = z.infer<typeof RequestJob>

type Row = Omit<Answer, 'status'> & {
  id: string
  state: 'claimed' | 'parked' | 'queued' | 'running' | 'undoing' | 'done' | 'failed'
  status: number | null
  createdAt: Date
  finishedAt: Date | null
}

/** The job of a request; only the token that made it sees it. */
export async function get(
  db: Db,
  tokenId: string,
  id: string,
  /** Reads an answer that was stored encrypted. */
  unseal: (body: Buffer) => Buffer,
): Promise<RequestJob> {
  const unknown = new PanelError('not_found', 'Unknown job')
  if (!z.uuid().safeParse(id).success) throw unknown
  const { rows } = await db.query<Row>(
    `select id, state, status, body, is_sealed as "isSealed", created_at as "createdAt",
       finished_at as "finishedAt"
     from panel.operations
     where id = $1 and token_id = $2`,
    [id, tokenId],
  )
  const [row] = rows
  if (row === undefined) throw unknown
  return toJob(row, unseal)
}

function toJob(row: Row, unseal: (body: Buffer) => Buffer): RequestJob {
  const body = row.body && row.isSealed ? unseal(row.body) : row.body
  return {
    id: row.id,
    state: stateOf(row),
    status: row.state === 'failed' ? 500 : row.status,
    result: body === null ? null : JSON.parse(body.toString()),
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  }
}

function stateOf({ state, status }: Row): RequestJob['state'] {
  if (state === 'running' || state === 'undoing') return 'running'
  if (state === 'failed') return 'failed'
  if (state === 'done') return status !== null && status < 400 ? 'succeeded' : 'failed'
  return 'queued'
}
