-- Marks a process as running, and since when, while this connection lasts. The lock is the proof
-- (is_alive.sql); the row only holds the time, by the database's clock. No role can show another's
-- process.
create or replace function panel.show_process(p_name text, p_uptime_s double precision)
returns void
language plpgsql volatile security definer
as $$
begin
  if acting_role() is distinct from 'panel_' || p_name then
    raise exception '% cannot show a process %', acting_role(), p_name
      using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_lock_shared(7202, hashtext(p_name));
  delete from processes p
  where p.backend_pid = pg_backend_pid()
     or not exists (
       select from pg_locks l
       where l.pid = p.backend_pid and l.locktype = 'advisory' and l.classid = 7202
         and l.database = (select oid from pg_database where datname = current_database()));
  insert into processes (backend_pid, name, started_at)
  values (pg_backend_pid(), p_name, clock_timestamp() - make_interval(secs => p_uptime_s));
end;
$$;
grant execute on function panel.show_process to panel_api, panel_worker, panel_courier;
