import { type Db, one, type Pool, value } from '../db.ts'
import { type Job, ownId } from './jobs.ts'
import type { Step } from './operations.ts'
import { askSteps } from './running-steps.ts'

// The parts of a job: a request's steps on the machine, the tries of a delivery or of maintenance,
// the scripts of a hook run.

export type JobStep = {
  name: string
  /** Since the job's start; of a request since its last start, which only its worker knows. */
  at_ms: number
  /** Until now, while it runs; null for a running hook script. */
  ms: number | null
  outcome: string
  error: string | null
  /** What a hook script has written, or the beginning of what a receiver has answered. */
  output: string | null
}

/** A start of a request that has come to nothing, and was followed by another. */
export type EarlierStart = { number: number; error: string; steps: JobStep[] }

/** Those of a request, the first and the latest; an interrupted one has no steps. */
export async function listEarlierStarts(db: Db, { id }: Job): Promise<EarlierStart[]> {
  type Recorded = Omit<EarlierStart, 'steps'> & { steps: Step[] }
  const recorded = await value<Recorded[] | null>(db)`
    select earlier_starts from panel.operations where id = ${id}`
  return (recorded ?? []).map(({ number, error, steps }) => ({
    ...{ number, error },
    steps: steps.map(toJobStep),
  }))
}

/** Method and target of a request by the API; null where it came by another door. */
export const getRequest = (db: Db, { id }: Job) =>
  value<string | null>(db)`select request from panel.operations where id = ${id}`

/** The recorded steps in order; for a request under way those that its worker reports. */
export async function listSteps(db: Pool, job: Job): Promise<JobStep[]> {
  if (job.kind === 'request') return ofRequest(db, job)
  const { rows } = await db.query<Omit<JobStep, 'output'> & { output: Buffer | null }>(
    `${statements[job.kind]} order by at_ms, name`,
    job.kind === 'maintenance' ? job.id.split(':') : [ownId(job.id)],
  )
  return rows.map(row => ({ ...row, output: row.output?.toString() || null }))
}

export type Sent = { event: string; event_id: string; webhook_id: string; url: string }

/** What a delivery sends, and where to. */
export const getSent = (db: Pool, { id }: Job) => one<Sent>(db)`
  select e.name as event, e.id as event_id, w.id as webhook_id, w.url
  from panel.deliveries d
  join panel.events e on e.id = d.event_id
  join panel.webhooks w on w.id = d.webhook_id
  where d.id = ${id}`

async function ofRequest(db: Pool, { id, state }: Job): Promise<JobStep[]> {
  const isUnderWay = state === 'running' || state === 'undoing'
  // Between two tries no worker has the job, and the last try's steps are recorded.
  const steps = (isUnderWay ? await askSteps(db, id) : undefined) ?? (await recordedSteps(db, id))
  return steps.map(toJobStep)
}

const toJobStep = ({ step, at_ms, ms, failed, error, running }: Step): JobStep => ({
  ...{ name: step, at_ms, ms },
  ...{ outcome: failed ? 'failed' : running ? 'running' : 'done' },
  ...{ error: error ?? null, output: null },
})

const recordedSteps = async (db: Pool, id: string) =>
  (await value<Step[] | null>(db)`select steps from panel.operations where id = ${id}`) ?? []

const after = (first: string) => `
  round(extract(epoch from s.started_at - ${first}) * 1000)::float8 as at_ms`

const statements = {
  delivery: `
    select 'try ' || s.number as name, ${after('min(s.started_at) over ()')}, s.duration_ms as ms,
      coalesce('answered ' || s.status, 'no answer') as outcome, s.error,
      s.answer as output
    from panel.tries s where s.delivery_id = $1`,
  'hook run': `
    select s.name, ${after('min(s.started_at) over ()')}, s.duration_ms as ms,
      coalesce(replace(s.outcome, '_', ' '), 'running') || case when s.is_repeated
        then ', repeated' else '' end as outcome, s.reason as error, s.stdout || s.stderr as output
    from panel.script_runs s where s.event_id = $1`,
  maintenance: `
    select 'try ' || row_number() over (order by s.id) as name,
      ${after('min(s.started_at) over ()')},
      round(extract(epoch from s.finished_at - s.started_at) * 1000)::float8 as ms,
      case when s.error is null then 'done' else 'failed' end as outcome, s.error,
      null::bytea as output
    from panel.maintenance_runs s where s.worker = $1 and s.job_id = $2`,
}
