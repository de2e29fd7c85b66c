-- Returns all jobs: operations, deliveries, hook runs and maintenance. Statements select from it as
-- from a view: it is inlined, each of its parts reads one table, and filters, order and limit reach
-- the indexes of that table. Columns from other tables are subqueries, which are evaluated only if
-- a statement uses them, and only for rows that it returns. Every part must have the same types of
-- columns: otherwise PostgreSQL computes all rows (test/model/all-runs.test.ts).
--
-- Payloads are never read, and of answers only the sentence of a refusal: they may contain secrets.
create or replace function panel.all_runs()
returns setof panel.run
language sql stable
as $$
  -- Requests, and the panel's internal operations.
  select 'request'::text as kind, o.id::text as id, coalesce(o.name, 'request') as task,
    case
      when o.is_cancelled then 'cancelled'
      -- Only one added outside the API stays claimed.
      when o.state = 'claimed' then 'queued'
      when o.state = 'done' and o.status >= 400 then 'refused'
      else o.state
    end as state,
    o.username as account, o.caller_words, null::text as event, false as is_test,
    null::uuid as redelivery_of,
    (o.started_at is not null)::integer
      + coalesce((o.earlier_starts -> -1 ->> 'number')::integer, 0) as attempts,
    o.created_at, case when o.finished_at is null then o.due_at end as due_at, o.started_at,
    o.finished_at,
    extract(epoch from coalesce(o.finished_at, now()) - o.started_at) * 1000 as ran_ms,
    o.error, o.undo_error,
    case when o.status >= 400 and not o.is_sealed then o.body end as refusal,
    -- The next blocked one of its lane, otherwise the one in progress.
    case when o.state = 'blocked' then (
      select p.id::text
      from operations p
      where p.lane = o.lane and p.state in ('blocked', 'queued', 'running', 'undoing')
        and (p.state <> 'blocked' or p.arrival < o.arrival)
      order by p.state = 'blocked' desc, p.arrival desc
      limit 1) end as waits_for,
    o.id as uuid, null::bigint as number,
    o.state in ('blocked', 'queued', 'running', 'undoing') as is_open,
    o.state in ('done', 'failed') as is_ended,
    concat_ws(' ', coalesce(o.name, 'request'), o.id, o.username, o.error, o.undo_error,
      o.caller_words, case when o.status >= 400 then convert_from(o.body, 'UTF8') end) as words,
    o.account_id, o.lane, o.caller, true as is_last, null::boolean as is_stopped
  from operations o
  union all
  -- Deliveries of webhooks. `ran_ms` is the sum of the attempts, without the waits between them.
  select 'delivery', d.id::text, 'webhook/deliver',
    case
      when d.state = 'delivered' then 'done'
      when d.state <> 'due' then d.state
      when d.is_blocked then 'blocked'
      when (select j.locked_at from courier_queue.jobs j where j.id = d.queue_job_id) is not null
        then 'running'
      else 'queued'
    end,
    (select e.data ->> 'username' from events e where e.id = d.event_id), null,
    (select e.name from events e where e.id = d.event_id),
    (select e.is_test from events e where e.id = d.event_id), d.redelivery_of, d.attempts,
    d.created_at, case when d.finished_at is null then d.due_at end,
    (select y.started_at from attempts y where y.delivery_id = d.id order by y.number limit 1),
    d.finished_at,
    (select sum(y.duration_ms)::numeric from attempts y where y.delivery_id = d.id),
    (select y.error from attempts y where y.delivery_id = d.id order by y.number desc limit 1),
    null, null,
    case when d.is_blocked and d.state = 'due' then (
      select p.id::text from deliveries p
      where p.webhook_id = d.webhook_id and p.state = 'due' and not p.is_blocked
      order by p.event_id
      limit 1) end,
    d.id, d.event_id, d.state = 'due', d.state <> 'due',
    concat_ws(' ', 'webhook/deliver', d.id, d.webhook_id,
      (select concat_ws(' ', e.name, e.data ->> 'username') from events e where e.id = d.event_id),
      (select y.error from attempts y where y.delivery_id = d.id order by y.number desc limit 1)),
    null, null, null, true, d.state not in ('due', 'delivered')
  from deliveries d
  union all
  -- Hook scripts, all of an event as one job. `attempts` is the maximum over the scripts.
  select 'hook run', 'hook:' || r.event_id, 'hook/run',
    case
      when r.is_cancelled then 'cancelled'
      when r.state <> 'done' then r.state
      when r.error is not null or exists (
        select from script_runs h
        where h.event_id = r.event_id and not h.is_repeated
          and h.outcome in ('failed', 'timed_out', 'refused')) then 'failed'
      else 'done'
    end,
    (select e.data ->> 'username' from events e where e.id = r.event_id), null,
    (select e.name from events e where e.id = r.event_id), false, null,
    coalesce((
      select max(n.count)::integer
      from (
        select count(*) as count from script_runs h where h.event_id = r.event_id group by h.name) n
      ), 0),
    r.created_at, null, r.started_at, r.finished_at,
    extract(epoch from coalesce(r.finished_at, now()) - r.started_at) * 1000,
    coalesce(r.error, (
      select min(h.name || ': ' || h.reason) from script_runs h
      where h.event_id = r.event_id and not h.is_repeated
        and h.outcome in ('failed', 'timed_out', 'refused'))), null,
    null,
    case when r.state = 'blocked' then (
      select 'hook:' || p.event_id
      from hook_runs p
      where p.account_id = r.account_id and p.state <> 'done'
        and (p.state <> 'blocked' or p.event_id < r.event_id)
      order by p.state = 'blocked' desc, p.event_id desc
      limit 1) end,
    null, r.event_id, r.state <> 'done', r.state = 'done',
    concat_ws(' ', 'hook/run', 'hook:' || r.event_id,
      (select concat_ws(' ', e.name, e.data ->> 'username') from events e where e.id = r.event_id),
      r.error, (
        select min(h.name || ': ' || h.reason) from script_runs h
        where h.event_id = r.event_id and not h.is_repeated
          and h.outcome in ('failed', 'timed_out', 'refused'))),
    null, null, null, true, null
  from hook_runs r
  union all
  -- Maintenance has no table of its own: open jobs are read from the queues, together with jobs
  -- that are rows elsewhere, whose tasks the statement leaves out. The queues' own error texts are
  -- not shown, because they are not redacted.
  select 'maintenance', q.worker || ':' || q.id, q.task_identifier,
    case
      when q.locked_at is not null then 'running'
      when q.attempts >= q.max_attempts then 'failed'
      else 'queued'
    end,
    null, null, null, false, null, q.attempts::integer,
    -- Waiting begins when the job is due, not when it was enqueued.
    case when q.run_at <= now() then greatest(q.run_at, q.created_at) else q.created_at end,
    q.run_at, q.locked_at, null, extract(epoch from now() - q.locked_at) * 1000, (
      select r.error from maintenance_runs r
      where r.job_id = q.id and r.worker = q.worker
      order by r.id desc
      limit 1), null,
    null, null, null, q.id, true, false,
    -- Jobs in a queue are not searched by their error.
    concat_ws(' ', q.task_identifier, q.worker || ':' || q.id), null, null, null, true, null
  from (
    select 'worker' as worker, j.id, j.task_identifier, j.run_at, j.created_at, j.locked_at,
      j.attempts, j.max_attempts
    from worker_queue.jobs j
    union all
    select 'courier', j.id, j.task_identifier, j.run_at, j.created_at, j.locked_at,
      j.attempts, j.max_attempts
    from courier_queue.jobs j) q
  union all
  -- Each run of maintenance that has ended. Once a job has left its queue, its last run stands for
  -- it.
  select 'maintenance', r.worker || ':' || r.job_id, r.task,
    case when r.error is null then 'done' else 'failed' end, null, null, null, false, null, (
      select count(*)::integer from maintenance_runs o
      where o.job_id = r.job_id and o.worker = r.worker),
    r.due_at, null, r.started_at, r.finished_at,
    extract(epoch from r.finished_at - r.started_at) * 1000, r.error, null,
    null, null, null, r.job_id, false, true,
    concat_ws(' ', r.task, r.worker || ':' || r.job_id, r.error), null, null, null,
    not exists (
      select from maintenance_runs o
      where o.job_id = r.job_id and o.worker = r.worker and o.id > r.id)
    and not case r.worker
      when 'worker' then exists (select from worker_queue.jobs j where j.id = r.job_id)
      else exists (select from courier_queue.jobs j where j.id = r.job_id)
    end,
    null
  from maintenance_runs r;
$$;
