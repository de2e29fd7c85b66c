import type { Db } from '../../db.ts'

// Recent failures for the support bundle: only outcomes, never requests or answers.

const maxRows = 200

const lists = {
  jobs: `
    select * from (
      select 'worker' as worker, id::text, task_identifier as task, attempts, max_attempts,
        last_error as error, created_at, run_at
      from worker_queue.jobs where attempts >= max_attempts or last_error is not null
      union all
      select 'courier', id::text, task_identifier, attempts, max_attempts, last_error, created_at,
        run_at
      from courier_queue.jobs where attempts >= max_attempts or last_error is not null) j
    order by created_at desc limit $1`,
  operations: `
    select id, name, username, state, starts, epoch, error, undo_error,
      earlier_starts, created_at, started_at, finished_at
    from panel.operations
    where state not in ('done', 'claimed') or error is not null
    order by arrival desc limit $1`,
  attempts: `
    select t.delivery_id, d.webhook_id, t.number, t.status, t.error, t.duration_ms, t.started_at
    from panel.attempts t join panel.deliveries d on d.id = t.delivery_id
    where t.error is not null
    order by t.started_at desc limit $1`,
  scripts: `
    select event_id::text, name, path, outcome, reason, exit_code, signal, duration_ms, started_at
    from panel.script_runs where outcome is distinct from 'succeeded'
    order by started_at desc limit $1`,
  certificates: `
    select s.domain, s.ssl, c.step, c.attempts, c.error, c.due_at, c.expires_at
    from panel.certificates c join panel.sites s on s.id = c.site_id
    where c.error is not null
    order by c.due_at limit $1`,
} as const

export type Failures = Record<keyof typeof lists, object[]>

export async function listFailures(db: Db): Promise<Failures> {
  const found = await Promise.all(
    Object.entries(lists).map(async ([name, text]) => {
      const { rows } = await db.query<object>(text, [maxRows])
      return [name, rows] as const
    }),
  )
  return Object.fromEntries(found) as Failures
}
