-- The safety net below the queue: enqueues due work without a live job again, and promotes what is
-- blocked behind nothing. Both counts are zero in a healthy panel, except after a task was resumed.
-- Rows that are locked now are left to the next turn (lock_free_lane.sql).
create or replace function panel.sweep(out enqueued integer, out promoted integer)
language plpgsql volatile security definer
as $$
declare
  v_row   record;
  v_hooks record;
begin
  enqueued := 0;
  promoted := 0;
  -- One sweeper at a time, of any worker.
  if not pg_try_advisory_xact_lock(-2) then
    return;
  end if;

  for v_row in
    select o.id, o.lane, o.queue_job_id
    from operations o
    where o.state in ('queued', 'running', 'undoing') and o.due_at <= now()
      and (o.state <> 'queued' or not is_operation_paused(o.name, o.differed))
      and (
        select true from worker_queue.jobs j
        where j.id = o.queue_job_id and j.attempts < j.max_attempts
          -- A job in the queue's own back-off would wake the worker too late.
          and (j.locked_at is not null or j.run_at <= now())
        limit 1) is null
    order by o.due_at
    limit 100
  loop
    continue when not lock_free_lane(v_row.lane);
    -- Checked again under the lock: the operation may have ended or started again meanwhile.
    perform from operations
    where id = v_row.id and state in ('queued', 'running', 'undoing') and due_at <= now()
      and queue_job_id is not distinct from v_row.queue_job_id
    for no key update;
    if found then
      perform enqueue_operation(v_row.id);
      enqueued := enqueued + 1;
    end if;
  end loop;

  for v_row in
    select p.id, p.apply_after
    from packages p
    where p.apply_after is not null and not is_paused('package/apply')
      and (
        select true from worker_queue.jobs j
        where j.id = p.apply_job_id and j.attempts < j.max_attempts
        limit 1) is null
    for no key update skip locked
  loop
    perform enqueue_package(v_row.id, v_row.apply_after);
    enqueued := enqueued + 1;
  end loop;

  enqueued := enqueued + sweep_unapplied() + sweep_open_databases();
  perform sweep_certificates();

  for v_row in
    select distinct p.lane
    from operations p
    where p.state = 'blocked' and p.lane is not null and not exists (
      select from operations o
      where o.lane = p.lane and o.state in ('queued', 'running', 'undoing'))
    limit 100
  loop
    continue when not lock_free_lane(v_row.lane);
    if promote_blocked(v_row.lane) then
      promoted := promoted + 1;
    end if;
  end loop;

  -- An account that is deleted with its package leaves no lane to those behind its terminate: they
  -- get a turn here, find no account and are answered so.
  for v_row in
    select p.id
    from operations p
    where p.state = 'blocked' and p.lane is null
    limit 100
    for no key update skip locked
  loop
    perform enqueue_operation(v_row.id);
    promoted := promoted + 1;
  end loop;

  v_hooks := sweep_hook_runs();
  enqueued := enqueued + v_hooks.enqueued;
  promoted := promoted + v_hooks.promoted;
end;
$$;
grant execute on function panel.sweep to panel_worker;
