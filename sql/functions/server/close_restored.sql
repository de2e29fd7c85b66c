-- Prepares the rows of a backup for a server that starts again: operations in progress are closed,
-- the queues are emptied, the server is paused until an administrator releases it, and every
-- account is to be created on the machine. `p_highest_uid` is the highest user number of the
-- machine. The caller has the database for itself.
create or replace function panel.close_restored(
  p_highest_uid bigint,
  out operations integer,
  out accounts integer
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  v_reason constant text := 'Closed by a restore from a backup';
  v_closed uuid[];
  v_row    record;
begin
  -- The former values of an operation in progress are desired again, as after an undo; only a
  -- terminate goes forward.
  perform revert_desired_state(o.id, false)
  from operations o
  where o.state in ('running', 'undoing') and not exists (
    select from accounts a where a.id = o.account_id and a.state = 'terminating');
  -- Their keys are free for a retry.
  with closed as (
    update operations
    set state = 'failed', epoch = epoch + 1, error = v_reason, params = '{}', before = null,
      finished_at = now()
    where state in ('claimed', 'blocked', 'queued', 'running', 'undoing')
    returning id
  )
  select coalesce(array_agg(id), '{}') into v_closed from closed;
  operations := cardinality(v_closed);
  perform revert_desired_state(c.id, true) from unnest(v_closed) c (id);
  -- A create completes or leaves nothing.
  delete from accounts where state = 'provisioning';

  update script_runs set outcome = 'interrupted' where outcome is null;
  update hook_runs
  set state = 'done', epoch = epoch + 1, error = v_reason, finished_at = now()
  where state <> 'done';

  -- The old queue's jobs are gone.  A due delivery without a job is enqueued when the courier
  -- sweeps.
  update deliveries
  set is_blocked = true, queue_job_id = null, epoch = epoch + 1
  where state = 'due';
  update packages set apply_job_id = null;
  update certificates set queue_job_id = null;
  -- The key of its request is not in the backup.
  delete from own_certificate;

  -- No user is signed in to the new machine.
  delete from adminer_sessions;
  -- They refer to files on another machine.
  delete from log_positions;
  update server set paused_since = now();
  -- Receivers may have seen numbers that were assigned after the backup. No server has a million
  -- events a day, so the next numbers are above them, and start at a round one.
  perform number_events();
  update event_counters
  set value = (value / 1000000 + 2 + greatest(0, extract(day from now() - changed_at))::bigint)
      * 1000000,
    changed_at = now()
  where name = 'numbered';
  perform setval('uids', greatest(
    (select last_value from uids),
    (select max(uid) from accounts),
    p_highest_uid,
    (select min_value from pg_sequences where schemaname = 'panel' and sequencename = 'uids')));

  accounts := 0;
  update accounts set is_applied = false where state <> 'terminated';
  for v_row in
    select a.id, a.state from accounts a where a.state <> 'terminated' order by a.id
  loop
    if v_row.state = 'terminating' then
      perform begin_internal(v_row.id, 'account/terminate');
    else
      perform begin_internal(v_row.id, 'account/apply');
      accounts := accounts + 1;
    end if;
  end loop;
end;
$$;
