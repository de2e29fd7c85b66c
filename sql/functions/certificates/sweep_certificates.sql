-- Enqueues due work without a live job or operation again, and work that has become due. Internal.
create or replace function panel.sweep_certificates()
returns void
language plpgsql volatile
as $$
declare
  v_row record;
begin
  if not (select issues_certificates from server) then
    return;
  end if;
  for v_row in
    select c.site_id, c.epoch, c.step, a.id as account_id
    from certificates c
    join sites s on s.id = c.site_id
    join accounts a on a.id = s.account_id
    where c.due_at <= now() and a.state in ('active', 'suspended')
      and not exists (select from paused_tasks p where p.task = 'certificate/' || c.step)
      and (
        select true from courier_queue.jobs j
        where c.step = 'order' and j.id = c.queue_job_id and j.attempts < j.max_attempts
          -- A job in the queue's own back-off would come too late.
          and (j.locked_at is not null or j.run_at <= now())
        limit 1) is null
      and not exists (
        select from operations o
        where c.step <> 'order' and o.lane = a.id and o.name = 'certificate/' || c.step
          and o.state in ('blocked', 'queued', 'running', 'undoing'))
    order by c.due_at
    limit 100
  loop
    continue when not lock_free_lane(v_row.account_id);
    -- Checked again under the lock.
    continue when (
      select account_id from lock_certificate(v_row.site_id, v_row.epoch, v_row.step)) is null;
    if v_row.step = 'order' then
      perform enqueue_certificate(v_row.site_id);
    else
      -- A row that root cannot process must not be begun again and again.
      update certificates set due_at = now() + interval '1 minute' where site_id = v_row.site_id;
      perform begin_certificate(s.account_id, 'certificate/' || v_row.step)
      from sites s where s.id = v_row.site_id;
    end if;
  end loop;
end;
$$;
