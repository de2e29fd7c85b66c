-- Deletes what ran more than 30 days ago, at most so many runs; tells how many.  Internal: purge
-- calls it.
create or replace function panel.purge_hook_runs(p_limit integer)
returns integer
language plpgsql volatile
set search_path = panel, pg_temp
as $$
declare
  v_count integer;
begin
  delete from hook_runs
  where event_id in (
    select event_id from hook_runs
    where state = 'done' and finished_at <= now() - interval '30 days'
    order by finished_at
    limit p_limit);
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;

revoke execute on function panel.purge_hook_runs from public;
