-- What has ended in the last hour, how long it has waited and run, and what waits now: by task, and
-- for all tasks together, whose name is null (src/model/job-stats.ts).
create or replace function panel.show_job_stats(p_maintenance text[], p_parts float8[])
returns table (
  task text, ended integer, failed integer,
  -- The percentiles of the parts.
  waited float8[], ran float8[],
  waiting integer, running integer, oldest_waiting_ms float8,
  -- In each of the last 60 minutes, the oldest first; the same in every row.
  minutes json
)
-- Of the latest 20,000 of each kind percentiles are made: more would hardly change them.
language sql stable security definer
as $$
  with ended_operations as not materialized (
    select coalesce(name, 'request') as task, state = 'failed' and not is_cancelled as is_failed,
      created_at, started_at, finished_at
    from operations
    where state in ('done', 'failed') and finished_at > now() - interval '1 hour'
  ), ended_deliveries as not materialized (
    -- By the index on webhook and creation: those made more than a day ago are left out.
    select d.id, d.state, d.created_at, d.finished_at
    from webhooks w join deliveries d on d.webhook_id = w.id
    where d.created_at > now() - interval '1 day' and d.finished_at > now() - interval '1 hour'
  ), ended_hook_runs as not materialized (
    select r.event_id, r.error, r.is_cancelled, r.created_at, r.started_at, r.finished_at
    from hook_runs r
    where r.state = 'done' and r.finished_at > now() - interval '1 hour'
  ), ended_maintenance as not materialized (
    select r.task, r.error, r.due_at, r.started_at, r.finished_at
    from maintenance_runs r
    where r.finished_at > now() - interval '1 hour'
  ), e as materialized (
    select task, is_failed, floor(date_part('epoch', now() - finished_at) / 60) as ago,
      count(*) as count
    from (
      select task, finished_at, is_failed from ended_operations
      union all
      select 'webhook/deliver', finished_at, state = 'failed' from ended_deliveries
      union all
      select 'hook/run', finished_at, not is_cancelled and (error is not null or exists (
        select from script_runs s
        where s.event_id = r.event_id and not s.is_repeated
          and s.outcome in ('failed', 'timed_out', 'refused')))
      from ended_hook_runs r
      union all
      select task, finished_at, error is not null from ended_maintenance) one
    group by task, is_failed, ago
  ), ended as (
    select task, sum(count)::integer as ended,
      coalesce(sum(count) filter (where is_failed), 0)::integer as failed
    from e group by grouping sets ((task), ())
  ), timed as (
    select task, percentile_cont(p_parts) within group (order by waited) as waited,
      percentile_cont(p_parts) within group (order by ran) as ran
    from (
      (select task,
        date_part('epoch', coalesce(started_at, finished_at) - created_at) * 1000 as waited,
        date_part('epoch', finished_at - started_at) * 1000 as ran
      from ended_operations order by finished_at desc limit 20000)
      union all
      (select 'webhook/deliver',
        date_part('epoch', coalesce(y.first, d.finished_at) - d.created_at) * 1000, y.ms
      from (select * from ended_deliveries order by finished_at desc limit 20000) d
      cross join lateral (
        select min(y.started_at) as first, sum(y.duration_ms)::float8 as ms
        from tries y where y.delivery_id = d.id) y)
      union all
      (select 'hook/run',
        date_part('epoch', coalesce(started_at, finished_at) - created_at) * 1000,
        date_part('epoch', finished_at - started_at) * 1000
      from ended_hook_runs order by finished_at desc limit 20000)
      union all
      (select task, date_part('epoch', started_at - due_at) * 1000,
        date_part('epoch', finished_at - started_at) * 1000
      from ended_maintenance order by finished_at desc limit 20000)) t
    group by grouping sets ((task), ())
  ), open as (
    select task, (count(*) filter (where not is_running))::integer as waiting,
      (count(*) filter (where is_running))::integer as running,
      (extract(epoch from now() - min(created_at) filter (where not is_running)) * 1000)::float8
        as oldest_waiting_ms
    from (
      select name as task, state in ('running', 'undoing') as is_running, created_at
      from operations where state in ('parked', 'queued', 'running', 'undoing')
      union all
      select 'webhook/deliver', coalesce(j.locked_at is not null, false), d.created_at
      from deliveries d left join courier_queue.jobs j on j.id = d.queue_job_id
      where d.state = 'due'
      union all
      select 'hook/run', state = 'running', created_at from hook_runs where state <> 'done'
      union all
      select task_identifier, locked_at is not null, greatest(run_at, created_at)
      from (
        select task_identifier, run_at, created_at, locked_at, attempts, max_attempts
        from worker_queue.jobs
        union all
        select task_identifier, run_at, created_at, locked_at, attempts, max_attempts
        from courier_queue.jobs) j
      where task_identifier = any (p_maintenance) and run_at <= now() and attempts < max_attempts
    ) o
    group by grouping sets ((task), ())
  ), minutes as (
    select ago, coalesce(sum(e.count), 0) as ended,
      coalesce(sum(e.count) filter (where e.is_failed), 0) as failed
    from generate_series(0, 59) as ago left join e using (ago)
    group by ago
  )
  select coalesce(e.task, o.task), coalesce(e.ended, 0), coalesce(e.failed, 0), t.waited, t.ran,
    coalesce(o.waiting, 0), coalesce(o.running, 0), o.oldest_waiting_ms, (
      select json_agg(json_build_object('ended', m.ended, 'failed', m.failed) order by ago desc)
      from minutes m)
  from ended e
  left join timed t on coalesce(t.task, '') = coalesce(e.task, '')
  full join open o on coalesce(o.task, '') = coalesce(e.task, '')
  order by 1 nulls first;
$$;
grant execute on function panel.show_job_stats to panel_api;
