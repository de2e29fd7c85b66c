-- Whether a process still holds a lock of its own: as one of that name (`process`),
-- pg_advisory_lock_shared(7202, hashtext(name)); or as that worker pool (`pool`),
-- pg_advisory_lock(7201, hashtext(id)).
create or replace function panel.is_alive(p_kind text, p_name text)
returns boolean
language sql stable
as $$
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = case p_kind when 'process' then 7202 when 'pool' then 7201 end
      and l.objsubid = 2
      and l.objid = (hashtext(p_name)::bigint & 4294967295)::oid);
$$;
grant execute on function panel.is_alive to panel_api, panel_worker, panel_courier;
