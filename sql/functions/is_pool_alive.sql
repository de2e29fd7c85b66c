-- Whether the process of a worker pool still holds its lock: pg_advisory_lock(7201, hashtext(id)).
create or replace function panel.is_pool_alive(p_pool_id text)
returns boolean
language sql stable
as $$
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = 7201 and l.objsubid = 2
      and l.objid = (hashtext(p_pool_id)::bigint & 4294967295)::oid);
$$;
grant execute on function panel.is_pool_alive to panel_worker, panel_courier;
