-- Returns whether a process still holds its own lock: one of that name (`process`), by
-- show_process; or that pool of workers (`pool`, or the name of its queue), by lock_pool.
create or replace function panel.is_alive(p_kind text, p_name text)
returns boolean
language sql stable
as $$
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = any (case p_kind
        when 'process' then array[7202]
        when 'worker_queue' then array[7201]
        -- The pools of couriers before lock_pool have the first class too.
        when 'courier_queue' then array[7201, 7203]
        when 'pool' then array[7201, 7203]
      end)
      and l.objsubid = 2
      and l.objid = (hashtext(p_name)::bigint & 4294967295)::oid);
$$;
grant execute on function panel.is_alive to panel_api, panel_worker, panel_courier;
