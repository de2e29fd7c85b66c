-- Deletes at most so many runs of maintenance that ended more than 7 days ago, and tells how many.
-- Internal: purge calls it.
create or replace function panel.purge_maintenance(p_limit integer)
returns integer
language plpgsql volatile
set search_path = panel, pg_temp
as $$
declare
  v_count integer;
begin
  delete from maintenance_runs
  where id in (
    select id from maintenance_runs
    where finished_at <= now() - interval '7 days'
    order by finished_at
    limit p_limit);
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;

revoke execute on function panel.purge_maintenance from public;
