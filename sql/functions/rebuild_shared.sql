-- Adds the job of a rebuild, which puts right what all accounts share and then carries out the
-- operations that were given its id in the same transaction (rebuild_accounts.sql).
create or replace function panel.rebuild_shared()
returns bigint
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_job bigint;
begin
  select j.id into v_job
  from worker_queue.add_job(
    identifier => 'maintenance/rebuild',
    payload => '{}',
    -- In the far past, so that a clock set back delays nothing.
    run_at => '2000-01-01 00:00:00+00',
    max_attempts => 32767) j;
  return v_job;
end;
$$;

revoke execute on function panel.rebuild_shared from public;
