-- Enqueues again hook runs that are due and have no live job, and promotes those that are blocked
-- behind nothing.  Internal: sweep calls it, one at a time.
create or replace function panel.sweep_hook_runs(out enqueued integer, out promoted integer)
language plpgsql volatile
as $$
declare
  v_row record;
begin
  enqueued := 0;
  promoted := 0;

  for v_row in
    select r.event_id, r.account_id, r.queue_job_id
    from hook_runs r
    where r.state in ('queued', 'running')
      and (r.state = 'running' or not is_paused('hook/run'))
      and (
        select true from worker_queue.jobs j
        where j.id = r.queue_job_id and j.attempts < j.max_attempts
          -- A job in the queue's own back-off would come too late.
          and (j.locked_at is not null or j.run_at <= now())
        limit 1) is null
    order by r.event_id
    limit 100
  loop
    continue when not lock_free_lane(v_row.account_id);
    -- Checked again under the lock: the run may have ended or started again meanwhile.
    perform from hook_runs
    where event_id = v_row.event_id and state in ('queued', 'running')
      and queue_job_id is not distinct from v_row.queue_job_id
    for no key update;
    if found then
      perform enqueue_hook_run(v_row.event_id);
      enqueued := enqueued + 1;
    end if;
  end loop;

  for v_row in
    select distinct p.account_id
    from hook_runs p
    where p.state = 'blocked' and not exists (
      select from hook_runs r
      where r.account_id = p.account_id and r.state in ('queued', 'running'))
    limit 100
  loop
    continue when not lock_free_lane(v_row.account_id);
    if promote_hook_run(v_row.account_id) then
      promoted := promoted + 1;
    end if;
  end loop;
end;
$$;
