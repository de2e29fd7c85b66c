-- Enqueues due deliveries without a live job again, and the first of those that are blocked behind
-- nothing.
--
-- Also returns which webhooks have blocked deliveries, and in how many milliseconds the next
-- retries are due, so that a courier that has just started knows as much as the others.
create or replace function panel.sweep_deliveries(
  out enqueued integer,
  out blocked uuid[],
  out due_in_ms integer[]
)
language plpgsql volatile security definer
as $$
declare
  -- The number of attempts that lanes.ts allows a new webhook.
  v_first constant integer := 4;
  v_promoted integer;
begin
  enqueued := 0;
  select coalesce(array_agg(w.id), '{}') into blocked
  from webhooks w
  where (
    select true from deliveries d
    where d.webhook_id = w.id and d.state = 'due' and d.is_blocked
    limit 1);
  select coalesce(array_agg(ceil(extract(epoch from d.due_at - clock_timestamp()) * 1000)), '{}')
  into due_in_ms
  from deliveries d
  where d.state = 'due' and d.attempts > 0
    and d.due_at > now() and d.due_at < now() + interval '4 seconds';

  -- One sweeper at a time, of any courier.
  if is_paused('webhook/deliver') or not pg_try_advisory_xact_lock(-5) then
    return;
  end if;

  update deliveries d
  set epoch = d.epoch + 1, queue_job_id = add_delivery_job(d.id, d.epoch + 1)
  -- As an array, and each job looked up by its id: however wrong the planner is about the size of a
  -- queue that is empty one moment and full the next, no two sets are compared pairwise.
  where d.id = any (array(
    select o.id
    from webhooks w
    join deliveries o on o.webhook_id = w.id
    where o.state = 'due' and not o.is_blocked and o.due_at <= now()
      and (
        select true from courier_queue.jobs j
        where j.id = o.queue_job_id and j.attempts < j.max_attempts
          -- A job in the queue's own back-off would come too late.
          and (j.locked_at is not null or j.run_at <= now())
        limit 1) is null
    limit 1000
    for no key update of o skip locked));
  get diagnostics enqueued = row_count;

  update deliveries d
  set epoch = d.epoch + 1, is_blocked = false,
    queue_job_id = add_delivery_job(d.id, d.epoch + 1)
  where d.id = any (array(
    select p.id
    from unnest(blocked) as w (id),
      lateral (
        select o.id
        from deliveries o
        where o.webhook_id = w.id and o.state = 'due' and o.is_blocked
        order by o.event_id
        limit v_first
        for no key update skip locked) p
    -- By now every due delivery that is not blocked has a job.
    where (
      select true from deliveries o
      where o.webhook_id = w.id and o.state = 'due' and not o.is_blocked and o.due_at <= now()
      limit 1) is null));
  get diagnostics v_promoted = row_count;
  enqueued := enqueued + v_promoted;
end;
$$;
grant execute on function panel.sweep_deliveries to panel_courier;
