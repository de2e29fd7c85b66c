-- Whether a process of that kind holds its lock: pg_advisory_lock_shared(7202, hashtext(name)).
create or replace function panel.is_process_up(p_name text)
returns boolean
language sql stable
as $$
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = 7202 and l.objsubid = 2
      and l.objid = (hashtext(p_name)::bigint & 4294967295)::oid);
$$;
grant execute on function panel.is_process_up to panel_api;
