-- Creates a new delivery of the event of a past one, under an id that the caller may choose:
-- repeated with the same id, it is created once. Returns its id; null if there is no such delivery,
-- it is in progress, or its webhook was removed.
create or replace function panel.redeliver(p_id uuid, p_as uuid default gen_random_uuid())
returns uuid
language plpgsql volatile security definer
as $$
begin
  if exists (select from deliveries d where d.id = p_as and d.redelivery_of = p_id) then
    return p_as;
  end if;
  insert into deliveries (id, webhook_id, event_id, redelivery_of, max_attempts, queue_job_id)
  select p_as, d.webhook_id, d.event_id, d.id, d.max_attempts, add_delivery_job(p_as, 1)
  from deliveries d
  join webhooks w on w.id = d.webhook_id
  where d.id = p_id and d.state <> 'due' and w.removed_at is null
  on conflict (id) do nothing;
  return (select d.id from deliveries d where d.id = p_as and d.redelivery_of = p_id);
end;
$$;
grant execute on function panel.redeliver to panel_api;
