import type { Db } from '../db.ts'
import { type Job, ownId } from './jobs.ts'
import type { Step } from './operations.ts'

// What a job has consisted of: of a request its steps on the machine, of a delivery and of
// maintenance the tries, of a hook run its scripts.

export type JobStep = {
  name: string
  /** After the job's start; of a request after its last one, which only its worker knows. */
  at_ms: number
  /** Null while it runs. */
  ms: number | null
  outcome: string
  error: string | null
}

/** Those that are recorded, in their order. */
export async function listSteps(db: Db, job: Job): Promise<JobStep[]> {
  if (job.kind === 'request') return ofRequest(db, job)
  const { rows } = await db.query<JobStep>(`${statements[job.kind]} order by at_ms, name`, [
    ...(job.kind === 'maintenance' ? job.id.split(':') : [ownId(job.id)]),
  ])
  return rows
}

async function ofRequest(db: Db, { id }: Job): Promise<JobStep[]> {
  const { rows } = await db.query<{ steps: Step[] | null }>(
    'select steps from panel.operations where id = $1',
    [id],
  )
  return (rows[0]?.steps ?? []).map(({ step, at_ms, ms, failed = false }) => ({
    ...{ name: step, at_ms, ms },
    ...{ outcome: failed ? 'failed' : 'done', error: null },
  }))
}

const after = (first: string) => `
  round(extract(epoch from s.started_at - ${first}) * 1000)::float8 as at_ms`

const statements = {
  delivery: `
    select 'try ' || s.number as name, ${after('min(s.started_at) over ()')}, s.duration_ms as ms,
      coalesce('answered ' || s.status, 'no answer') as outcome, s.error
    from panel.tries s where s.delivery_id = $1`,
  'hook run': `
    select s.name, ${after('min(s.started_at) over ()')}, s.duration_ms as ms,
      coalesce(replace(s.outcome, '_', ' '), 'running') || case when s.is_repeated
        then ', repeated' else '' end as outcome, s.reason as error
    from panel.script_runs s where s.event_id = $1`,
  maintenance: `
    select 'try ' || row_number() over (order by s.id) as name,
      ${after('min(s.started_at) over ()')},
      round(extract(epoch from s.finished_at - s.started_at) * 1000)::float8 as ms,
      case when s.error is null then 'done' else 'failed' end as outcome, s.error
    from panel.maintenance_runs s where s.worker = $1 and s.job_id = $2`,
}
