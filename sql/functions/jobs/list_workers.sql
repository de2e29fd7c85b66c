-- Lists the running processes that execute jobs, and the current work of each. One session holds
-- the locks of a process (7202) and of its pools (7201, 7203).
create or replace function panel.list_workers(p_maintenance text[])
returns table (name text, started_at timestamptz, jobs json)
language sql stable security definer
as $$
  with locks as materialized (
    select pid, classid, objid from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2 and classid in (7201, 7202, 7203)
      and database = (select oid from pg_database where datname = current_database())
  ), jobs as materialized (
    select l.pid, json_build_object(
      -- Null if one entry represents several jobs of a queue (deliveries).
      'id', coalesce(o.id::text, 'hook:' || h.event_id, case
        when j.task = any (p_maintenance) then j.queue || ':' || j.id end),
      'task', j.task,
      'account', o.username,
      'ran_ms', round(extract(epoch from now() - j.locked_at) * 1000)) as job, j.locked_at
    from (
      select 'worker' as queue, id, task_identifier as task, locked_at, locked_by
      from worker_queue.jobs
      union all
      select 'courier', id, task_identifier, locked_at, locked_by from courier_queue.jobs) j
    join locks l on l.classid in (7201, 7203)
      and l.objid = (hashtext(j.locked_by)::bigint & 4294967295)::oid
    left join operations o on j.queue = 'worker' and o.queue_job_id = j.id
      and o.state in ('queued', 'running', 'undoing')
    left join hook_runs h on j.task = 'hook/run' and h.queue_job_id = j.id and h.state = 'running'
  )
  select p.name, p.started_at, coalesce(
      (select json_agg(j.job order by j.locked_at) from jobs j where j.pid = p.backend_pid), '[]')
  from processes p
  join locks l on l.pid = p.backend_pid and l.classid = 7202
    and l.objid = (hashtext(p.name)::bigint & 4294967295)::oid
  where p.name in ('worker', 'courier')
  order by p.name desc, p.started_at;
$$;
grant execute on function panel.list_workers to panel_api;
