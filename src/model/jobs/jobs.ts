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
  waits_for: string | null
  /** A name that may belong to another account by now; null if no account is concerned. */
  account: string | null
  /** The caller, or why the panel does it. */
  asked_by: string
  /** Whether the panel does it by itself. */
  is_internal: boolean
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

/** A job as its row says it: parts of sentences, not sentences. */
export type JobRow = Omit<Job, 'is_paused' | 'is_internal' | 'asked_by'> & {
  caller_words: string | null
  event: string | null
  is_test: boolean
  redelivery_of: string | null
  undo_error: string | null
  /** The answer that refused it, of which only the sentence is shown. */
  refusal: Buffer | null
}

/**
 * Returns the latest jobs, newest first.
 *
 * @throws {PanelError} `not_found`, if the job `after` does not exist
 */
export async function list(db: Db, filter: z.infer<typeof JobFilter>): Promise<Job[]> {
  const { states: desired, kind, task, account, limit, since, endedSince, search, after } = filter
  const isDesired = (some: readonly State[]) => !desired || desired.some(one => some.includes(one))
  const last = after === undefined ? undefined : await positionOf(db, after)
  // Maintenance that has used up its attempts stays in its queue.
  const isOpen = isDesired([...openStates, 'failed'])
  const parts = [...(isOpen ? [true] : []), ...(isDesired(endedStates) ? [false] : [])]
  const rows = await all<JobRow>(db)`
    select j.*
    from unnest(${parts}::boolean[]) as part (is_open)
    cross join lateral panel.list_jobs(
      ${kind && [kind]}, p_is_open => part.is_open, p_states => ${desired}, p_task => ${task},
      p_account => ${account}, p_limit => ${limit}, p_since => ${since},
      p_search => ${search?.toLowerCase()}, p_after_at => ${last?.created_at},
      p_after_id => ${last?.id}, p_ended_since => ${endedSince},
      p_maintenance => ${maintenanceTasks}) j
    order by created_at desc, id
    limit ${limit}`
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
    const [job] = await withPauses(db, await all<JobRow>(db)`select * from ${byId(kind, full!)}`)
    if (job !== undefined) return job
  }
  throw unknownJob(id)
}

const byId = (kind: Kind, id: string): Sql => sql`
  panel.list_jobs(${[kind]}, p_id => ${ownId(id)}, p_maintenance => ${maintenanceTasks})`

export const unknownJob = (id: string): PanelError =>
  new PanelError('not_found', `Unknown job: ${id}`)

async function withPauses(db: Db, rows: JobRow[]): Promise<Job[]> {
  const paused = new Set<string>((await listPaused(db)).map(({ task }) => task))
  return rows.map(row => ({
    ...toJob(row),
    is_paused: (row.state === 'queued' || row.state === 'blocked') && paused.has(row.task),
  }))
}

/** Composes the sentences of a job. */
export function toJob(row: JobRow): Omit<Job, 'is_paused'> {
  const { caller_words, event, is_test, redelivery_of, undo_error, refusal, ...job } = row
  const error = [job.error, undo_error].filter(text => text !== null).join('; its undo failed: ')
  return {
    ...job,
    asked_by: askerOf(row),
    is_internal: caller_words === null,
    error: error || wordsOf(refusal),
  }
}

function askerOf({ caller_words, event, is_test, redelivery_of }: JobRow): string {
  if (caller_words !== null) return caller_words
  if (is_test) return 'a test of the webhook'
  if (redelivery_of !== null) return `a redelivery of ${redelivery_of}`
  return event === null ? 'the panel' : `the event ${event}`
}

/** Returns the sentence in the answer to a refused request. */
function wordsOf(answer: Buffer | null): string | null {
  if (answer === null) return null
  try {
    const { error } = JSON.parse(answer.toString()) as { error?: unknown }
    return typeof error === 'string' ? error : null
  } catch {
    return null
  }
}
