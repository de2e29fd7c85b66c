-- Deletes at most so many old runs of each kind: hook runs after 30 days, maintenance runs after 7;
-- returns how many.  Internal: purge calls it.
create or replace function panel.purge_runs(p_limit integer)
returns integer
language plpgsql volatile
as $$
declare
  v_hook_runs   integer;
  v_maintenance integer;
begin
  delete from hook_runs
  where event_id in (
    select event_id from hook_runs
    where state = 'done' and finished_at <= now() - interval '30 days'
    order by finished_at
    limit p_limit);
  get diagnostics v_hook_runs = row_count;

  delete from maintenance_runs
  where id in (
    select id from maintenance_runs
    where finished_at <= now() - interval '7 days'
    order by finished_at
    limit p_limit);
  get diagnostics v_maintenance = row_count;

  return v_hook_runs + v_maintenance;
end;
$$;
