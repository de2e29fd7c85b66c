-- Unlocks the jobs of dead worker pools at once instead of after the queue's four hours.  A pool
-- holds an advisory lock while its process lives; the jobs of a pool without one are orphaned.
-- Runs as the caller, who owns the queue.
create or replace function panel.reap(p_queue text)
returns integer
language plpgsql volatile
as $$
declare
  v_dead text[];
begin
  -- Each pool is checked once, however many jobs it has, because a check scans all locks.
  execute format(
    'with pools as materialized (
       select distinct j.locked_by as id from %I.jobs j where j.locked_by is not null)
     select array_agg(p.id) from pools p where not is_alive($1, p.id)', p_queue)
  into v_dead using p_queue;
  if v_dead is null then
    return 0;
  end if;

  execute format('select %I.force_unlock_workers($1)', p_queue) using v_dead;
  -- One job wakes one slot; this many wake all of them.
  perform pg_notify('jobs:insert', '{"count":1000}');
  return cardinality(v_dead);
end;
$$;
grant execute on function panel.reap to panel_worker, panel_courier;
