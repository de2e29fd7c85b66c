-- Returns what ended in the last hour, how long it waited and ran, and what waits now: by task, and
-- for all tasks together, whose name is null (src/model/jobs/job-stats.ts).
create or replace function panel.show_job_stats(p_maintenance text[], p_parts float8[])
returns table (
  task text, ended integer, failed integer,
  -- The inputs of the percentiles.
  waited float8[], ran float8[],
  waiting integer, running integer, oldest_waiting_ms float8,
  -- In each of the last 60 minutes, the oldest first; the same in every row.
  minutes json
)
-- Percentiles use the latest 20,000 of each kind: more would hardly change them.
language sql stable security definer
as $$
  with ended_run as not materialized (
    -- Maintenance has each run, including those of retried jobs.
    select kind, task, state, finished_at,
      extract(epoch from coalesce(started_at, finished_at) - created_at) * 1000 as waited_ms, ran_ms
    from all_runs() where is_ended and finished_at > now() - interval '1 hour'
  ), e as materialized (
    select task, state = 'failed' as is_failed,
      floor(date_part('epoch', now() - finished_at) / 60) as ago, count(*) as count
    from ended_run
    group by task, is_failed, ago
  ), ended as (
    select task, sum(count)::integer as ended,
      coalesce(sum(count) filter (where is_failed), 0)::integer as failed
    from e group by grouping sets ((task), ())
  ), timed as (
    select task, percentile_cont(p_parts) within group (order by waited_ms::float8) as waited,
      percentile_cont(p_parts) within group (order by ran_ms::float8) as ran
    from (
      (select task, waited_ms, ran_ms from ended_run where kind = 'request'
        order by finished_at desc limit 20000)
      union all
      (select task, waited_ms, ran_ms from ended_run where kind = 'delivery'
        order by finished_at desc limit 20000)
      union all
      (select task, waited_ms, ran_ms from ended_run where kind = 'hook run'
        order by finished_at desc limit 20000)
      union all
      (select task, waited_ms, ran_ms from ended_run where kind = 'maintenance'
        order by finished_at desc limit 20000)
    ) t
    group by grouping sets ((task), ())
  ), open as (
    select task, (count(*) filter (where not is_running))::integer as waiting,
      (count(*) filter (where is_running))::integer as running,
      (extract(epoch from now() - min(created_at) filter (where not is_running)) * 1000)::float8
        as oldest_waiting_ms
    from (
      select task, state in ('running', 'undoing') as is_running, created_at
      from all_runs()
      where is_open and (kind <> 'maintenance'
        or task = any (p_maintenance) and due_at <= now() and state <> 'failed')
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
