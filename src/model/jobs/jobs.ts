import { z } from 'zod'
import { all, type Db, one, sql, type Sql } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { maintenanceTasks, tasks, withoutWork } from './job-tasks.ts'
import { listPaused } from './paused-tasks.ts'
import { findId, isIdStart } from '../grammar/short-ids.ts'

// Jobs as an administrator sees them: requests, deliveries, hook runs and maintenance.

const openStates = ['blocked', 'queued', 'running', 'undoing'] as const
const endedStates = ['done', 'refused', 'failed', 'cancelled'] as const
export const states = [...openStates, ...endedStates] as const
export type State = (typeof states)[number]

const taskNames = [...tasks, ...withoutWork] as const

export const kinds = ['request', 'delivery', 'hook run', 'maintenance'] as const
type Kind = (typeof kinds)[number]

export const JobFilter = z.strictObject({
  /** All states, if left out. */
  states: z.array(z.enum(states, `must be one of ${states.join(', ')}`)).optional(),
  task: z.enum(taskNames, `must be one of ${taskNames.join(', ')}`).optional(),
  account: z.string().optional(),
  kind: z.enum(kinds, `must be one of ${kinds.join(', ')}`).optional(),
  /** Only jobs created since then. */
  since: z.date().optional(),
  /** Only jobs that ended since then. */
  endedSince: z.date().optional(),
  /** A part of the id, task, account, error or caller. */
  search: z.string().optional(),
  /** Continues after this job: only older ones are returned. */
  after: z.string().optional(),
  limit: z.int().min(1, 'must be at least 1').max(1_000, 'must be at most 1000'),
})

/**
 * `blocked` waits for its turn in a lane, `queued` for a worker; `refused` was answered with 4xx.
 */
export type Job = {
  /** `hook:17` for a hook run, `worker:17` or `courier:17` for maintenance, otherwise a UUID. */
  id: string
  kind: Kind
  task: (typeof taskNames)[number]
  state: State
  /** Whether it waits because its task is paused. */
  is_paused: boolean
  /** The job before it in its lane; null unless it is blocked. */
  behind: string | null
  /** A name that may belong to another account by now; null if no account is concerned. */
  account: string | null
  asked_by: string
  /** The number of starts. */
  attempts: number
  created_at: Date
  /** When it may start, or start again; null once it has ended. */
  due_at: Date | null
  started_at: Date | null
  finished_at: Date | null
  waited_ms: number
  /** Null if it was never started. */
  ran_ms: number | null
  error: string | null
}

/** The answer that refused it, of which only the sentence is shown. */
export type Refused = { refusal: Buffer | null }

type Row = Omit<Job, 'is_paused'> & Refused

/**
 * Returns the latest jobs, newest first.
 *
 * @throws {PanelError} `not_found`, if the job `after` does not exist
 */
export async function list(db: Db, filter: z.infer<typeof JobFilter>): Promise<Job[]> {
  const { states: desired, task, account, limit, since, endedSince, search, after } = filter
  const isDesired = (some: readonly State[]) => !desired || desired.some(one => some.includes(one))
  const last = after === undefined ? undefined : await positionOf(db, after)
  const filtered = (kind: Kind, isOpen: boolean): string => `
    select * from panel.list_jobs('${kind}', p_is_open => ${isOpen}, p_states => $1, p_task => $2,
      p_account => $3, p_limit => $4, p_since => $5, p_search => $6, p_after_at => $7,
      p_after_id => $8, p_ended_since => $9, p_maintenance => $10)`
  const some = filter.kind === undefined ? kinds : [filter.kind]
  const open = some.filter(
    // Maintenance that has used up its attempts stays in its queue.
    kind => isDesired(openStates) || (kind === 'maintenance' && isDesired(['failed'])),
  )
  const ended = isDesired(endedStates) ? some : []
  const statements = [
    ...open.map(kind => filtered(kind, true)),
    ...ended.map(kind => filtered(kind, false)),
  ]
  const { rows } = await db.query<Row>(
    `select * from (${statements.join(' union all ')}) j
     order by created_at desc, id
     limit $4`,
    [
      ...[desired, task, account, limit, since, search?.toLowerCase(), last?.created_at, last?.id],
      ...[endedSince, maintenanceTasks],
    ],
  )
  return withPauses(db, rows)
}

type Position = { created_at: string; id: string }

// Returns the position as text, because a Date has no microseconds.
async function positionOf(db: Db, id: string): Promise<Position> {
  const job = await get(db, id)
  return one<Position>(db)`
    select created_at::text, id from ${byId(job.kind, job.id)}`
}

/** The formats of ids, each with the kinds of job that use it. */
const forms: [form: RegExp, kinds: Kind[]][] = [
  [/^hook:([1-9][0-9]{0,17})$/, ['hook run']],
  [/^((?:worker|courier):[1-9][0-9]{0,17})$/, ['maintenance']],
  [/^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i, ['request', 'delivery']],
]
const formOf = (id: string) => forms.find(([form]) => form.test(id))

export const JobId = z
  .string()
  .refine(
    text => formOf(text) !== undefined || isIdStart(text),
    'must be an id from `panel jobs ls`',
  )

/** Returns the id within its kind: `17` for `hook:17`. */
export const ownId = (id: string): string => formOf(id)?.[0].exec(id)?.[1] ?? id

/**
 * Returns a job.
 *
 * @param id in full, or the beginning of a UUID
 * @throws {PanelError} `not_found`; `invalid` if several ids begin with it
 */
export async function get(db: Db, id: string): Promise<Job> {
  const full = formOf(id) === undefined ? await findId(db, ['operations', 'deliveries'], id) : id
  for (const kind of formOf(full ?? '')?.[1] ?? []) {
    const [job] = await withPauses(db, await all<Row>(db)`select * from ${byId(kind, full!)}`)
    if (job !== undefined) return job
  }
  throw unknownJob(id)
}

const byId = (kind: Kind, id: string): Sql => sql`
  panel.list_jobs(${kind}, p_id => ${ownId(id)}, p_maintenance => ${maintenanceTasks})`

export const unknownJob = (id: string): PanelError =>
  new PanelError('not_found', `Unknown job: ${id}`)

async function withPauses(db: Db, rows: Row[]): Promise<Job[]> {
  const paused = new Set<string>((await listPaused(db)).map(({ task }) => task))
  return rows.map(({ refusal, ...row }) => ({
    ...row,
    is_paused: (row.state === 'queued' || row.state === 'blocked') && paused.has(row.task),
    error: row.error ?? wordsOf(refusal),
  }))
}

/** Returns the sentence in the answer to a refused request. */
export function wordsOf(answer: Buffer | null): string | null {
  if (answer === null) return null
  try {
    const { error } = JSON.parse(answer.toString()) as { error?: unknown }
    return typeof error === 'string' ? error : null
  } catch {
    return null
  }
}
