-- Makes the caller's session that of the only process that changes this server's machine: returns
-- true once it has the exclusive lock, which lasts as long as the connection. It then ends all
-- sessions that older processes of its role have left.
--
-- A process that ends closes its connections, and the lock is free. If it is not, and its session
-- was silent for some heartbeats (src/queue/locks.ts), the network has lost that process, or its
-- machine is gone: the session is ended, and its starts of operations do not count.
create or replace function panel.become_worker(
  -- False at first: the end of a process takes a moment to arrive.
  p_ends_silent boolean
)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_database constant oid := (select oid from pg_database where datname = current_database());
  v_is_taken constant boolean := pg_try_advisory_lock(7204, 1);
  v_own      record;
  v_ended    integer[];
  v_lanes    bigint[];
begin
  if not v_is_taken and not p_ends_silent then
    return false;
  end if;
  select a.application_name, a.backend_start into v_own
  from pg_stat_activity a where a.pid = pg_backend_pid();

  -- Commands and migrators of the same role have other names, and connections that this process
  -- has opened since are younger.
  v_ended := array(
    select a.pid
    from pg_stat_activity a
    where a.datid = v_database and a.usename = session_user and a.pid <> pg_backend_pid()
      and a.application_name = v_own.application_name and a.backend_start < v_own.backend_start
      and (v_is_taken or exists (
        select from pg_locks l
        where l.pid = a.pid and l.locktype = 'advisory' and l.granted and l.database = v_database
          and l.classid = 7204 and l.objsubid = 2
          and a.state_change < clock_timestamp() - interval '5 seconds')));
  v_lanes := array(
    select (l.classid::bigint << 32) | l.objid::bigint
    from pg_locks l
    where l.pid = any (v_ended) and l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.database = v_database);
  perform pg_terminate_backend(e.pid) from unnest(v_ended) e (pid);
  -- They release their locks and rows in a moment.
  for i in 1 .. 40 loop
    exit when not exists (select from pg_locks l where l.pid = any (v_ended));
    perform pg_sleep(0.05);
  end loop;
  update operations o
  set starts = o.starts - 1, epoch = o.epoch + 1
  where o.lane = any (v_lanes) and o.state in ('running', 'undoing') and o.starts > 0;
  return v_is_taken;
exception
  -- A database user outside the panel's roles: its connections end by themselves (src/db.ts).
  when insufficient_privilege then
    return v_is_taken;
end;
$$;
grant execute on function panel.become_worker to panel_worker;
