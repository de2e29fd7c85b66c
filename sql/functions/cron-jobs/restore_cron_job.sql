-- Restores a cron job to its state before an operation: an added one is deleted from the machine,
-- and the row of one that never reached the machine is deleted at once. Internal: restore_resources
-- calls it.
create or replace function panel.restore_cron_job(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  if not p_is_over then
    update cron_jobs j
    set desired = case when j.added_by is null then 'present' else 'absent' end
    from operations o
    where o.id = p_id and j.id::text = o.params ->> 'job_id' and j.account_id = o.account_id;
    update cron_jobs j
    set schedule = o.before ->> 'schedule', command = o.before ->> 'command'
    from operations o
    where o.id = p_id and o.name = 'cron/set' and o.before ? 'schedule'
      and j.id::text = o.params ->> 'job_id' and j.account_id = o.account_id;
    return;
  end if;
  -- The machine may still have something of a job whose add was begun by another operation.
  update cron_jobs j
  set desired = 'absent'
  from accounts a
  where j.added_by = p_id and j.desired = 'reserved' and a.id = j.account_id and not a.is_applied;
  delete from cron_jobs where added_by = p_id and desired = 'reserved';
end;
$$;
