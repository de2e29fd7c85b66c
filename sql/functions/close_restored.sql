-- Prepares the rows of a backup for a server that starts anew: what was under way is closed, the
-- queues are empty, the server is held until an administrator releases it, and every account is to
-- be made on the machine.  `p_highest_uid` is the highest user number of the machine.  The caller
-- has the database for itself.
create or replace function panel.close_restored(
  p_highest_uid bigint,
  out operations integer,
  out accounts integer
)
language plpgsql volatile
set search_path = panel, pg_temp
as $$
#variable_conflict use_column
declare
  v_reason constant text := 'Closed by a restore from a backup';
  v_row    record;
begin
  -- An operation under way is undone: what it had found is wanted again.  Only a terminate goes
  -- forward.
  perform restore_wanted(o.id)
  from operations o join accounts a on a.id = o.account_id
  where o.state in ('running', 'undoing') and o.found ? 'wanted'
    and a.state in ('active', 'suspended');
  -- Failed operations free their keys.
  update operations
  set state = 'failed', epoch = epoch + 1, error = v_reason, wants = '{}', found = null,
    finished_at = now()
  where state in ('claimed', 'parked', 'queued', 'running', 'undoing');
  get diagnostics operations = row_count;
  -- A create completes or leaves nothing.
  delete from accounts where state = 'provisioning';

  update script_runs set outcome = 'interrupted' where outcome is null;
  update hook_runs
  set state = 'done', epoch = epoch + 1, error = v_reason, finished_at = now()
  where state <> 'done';

  -- The old queue's jobs are gone.  A due delivery without a job is enqueued when the courier
  -- sweeps.
  update deliveries
  set is_parked = true, queue_job_id = null, epoch = epoch + 1
  where state = 'due';
  update packages set apply_job_id = null;
  update certificates set queue_job_id = null;

  -- They are of files on another machine.
  delete from log_positions;
  update server set held_since = now();
  perform setval('uids', greatest(
    (select last_value from uids),
    (select max(uid) from accounts),
    p_highest_uid,
    (select min_value from pg_sequences where schemaname = 'panel' and sequencename = 'uids')));

  accounts := 0;
  update accounts set is_applied = false where state <> 'terminated';
  for v_row in
    select a.id, a.username, a.state from accounts a where a.state <> 'terminated' order by a.id
  loop
    if v_row.state = 'terminating' then
      perform begin_internal(v_row.id, v_row.username, 'account/terminate');
    else
      perform begin_internal(v_row.id, v_row.username, 'account/apply');
      accounts := accounts + 1;
    end if;
  end loop;
end;
$$;

revoke execute on function panel.close_restored from public;
