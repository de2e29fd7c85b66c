-- Deletes up to this many deliveries with their attempts, 30 days after they ended; events as old
-- that no delivery or hook run refers to; and removed webhooks without deliveries. Due deliveries
-- stay, however old. Returns the number of rows. Internal.
create or replace function panel.purge_deliveries(p_limit integer)
returns integer
language plpgsql volatile
as $$
declare
  v_deliveries integer;
  v_events     integer;
  v_highest    bigint;
begin
  delete from deliveries
  where id in (
    select d.id
    from webhooks w,
      lateral (
        select o.id
        from deliveries o
        where o.webhook_id = w.id and o.created_at <= now() - interval '30 days'
          and o.finished_at <= now() - interval '30 days'
        order by o.created_at
        limit p_limit
        for update skip locked) d
    limit p_limit);
  get diagnostics v_deliveries = row_count;

  with gone as (
    delete from events
    where id in (
      select e.id
      from events e
      where e.created_at <= now() - interval '30 days' and e.sequence is not null
        and not exists (select from deliveries d where d.event_id = e.id)
        and not exists (select from hook_runs r where r.event_id = e.id)
      order by e.created_at
      limit p_limit
      for update skip locked)
    returning sequence
  )
  select count(*), max(sequence) into v_events, v_highest from gone;
  update event_counters
  set value = v_highest, changed_at = now()
  where name = 'purged' and value < v_highest;

  -- A change with an event that began before the removal has ended after an hour.
  delete from webhooks w
  where w.removed_at <= now() - interval '1 hour'
    and not exists (select from deliveries d where d.webhook_id = w.id);

  return v_deliveries + v_events;
end;
$$;
