-- Returns metrics from the rows for monitoring (src/model/server/metrics.ts). Along the way,
-- everything that ended more than a minute ago, so that no transaction still adds to it, is counted
-- permanently.
create or replace function panel.show_metrics()
returns jsonb
language plpgsql volatile security definer
as $$
declare
  v_counted timestamptz;
  v_until   constant timestamptz := now() - interval '1 minute';
  v_seen    jsonb;
begin
  select at into v_counted from ended_totals_until for update;
  if v_until > v_counted then
    insert into ended_totals as t (kind, name, outcome, count)
    select c.kind, c.name, c.outcome, c.count from count_ended(v_counted, v_until) c
    on conflict (kind, name, outcome) do update set count = t.count + excluded.count;
    update ended_totals_until set at = v_until;
    v_counted := v_until;
  end if;

  select jsonb_build_object(
    'ended', (
      select coalesce(jsonb_agg(to_jsonb(e)), '[]')
      from (
        select kind, name, outcome, sum(count)::bigint as count
        from (
          select kind, name, outcome, count from ended_totals
          union all
          select kind, name, outcome, count from count_ended(v_counted, 'infinity')) all_ended
        group by kind, name, outcome) e),
    'operations', (
      select coalesce(jsonb_agg(to_jsonb(o)), '[]')
      from (
        select name as task,
          count(*) filter (where state in ('blocked', 'queued')) as waiting,
          count(*) filter (where state in ('running', 'undoing')) as running,
          coalesce(extract(epoch from now() - min(created_at)
            filter (where state in ('blocked', 'queued'))), 0)::float8 as oldest_s
        from operations where state in ('blocked', 'queued', 'running', 'undoing')
        group by name) o),
    'queues', (
      select jsonb_agg(to_jsonb(q))
      from (
        select queue, count(task_identifier) filter (where locked_at is null) as waiting,
          count(locked_at) as running,
          coalesce(extract(epoch from now() - min(greatest(run_at, created_at))
            filter (where locked_at is null)), 0)::float8 as oldest_s
        from (values ('worker'), ('courier')) as known (queue)
        left join (
          select 'worker' as queue, task_identifier, run_at, created_at, locked_at
          from worker_queue.jobs where run_at <= now() and attempts < max_attempts
          union all
          select 'courier', task_identifier, run_at, created_at, locked_at
          from courier_queue.jobs where run_at <= now() and attempts < max_attempts) j
          using (queue)
        group by queue) q),
    'deliveries', (
      select jsonb_build_object('due', count(*), 'in_flight', (
        select count(*) from courier_queue.jobs
        where task_identifier = 'webhook/deliver' and locked_at is not null))
      from deliveries where state = 'due'),
    'accounts', (
      select coalesce(jsonb_object_agg(state, count), '{}')
      from (select state, count(*) from accounts where state <> 'terminated' group by state) a),
    'processes', (
      select jsonb_object_agg(name, (
        select extract(epoch from min(p.started_at))::float8 from processes p
        where p.name = known.name and is_alive('process', known.name)))
      from (values ('worker'), ('courier')) as known (name)),
    'server', (select content - 'checks' - 'hooks' from server_snapshot),
    'checks', (
      select coalesce(jsonb_object_agg(state, count), '{}')
      from (
        select c.value ->> 'state' as state, count(*)
        from server_snapshot, jsonb_array_elements(content -> 'checks') c
        group by 1) k)
  ) into v_seen;
  return v_seen;
end;
$$;
grant execute on function panel.show_metrics to panel_api;
