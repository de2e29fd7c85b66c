-- Makes a new delivery of what a past one has sent; returns its id.  Null if there is no such
-- delivery, it is under way, or its webhook was removed.
create or replace function panel.redeliver(p_id uuid)
returns uuid
language plpgsql volatile security definer
as $$
declare
  v_id constant uuid := gen_random_uuid();
begin
  insert into deliveries (id, webhook_id, event_id, redelivery_of, max_tries, queue_job_id)
  select v_id, d.webhook_id, d.event_id, d.id, d.max_tries, add_delivery_job(v_id, 1)
  from deliveries d
  join webhooks w on w.id = d.webhook_id
  where d.id = p_id and d.state <> 'due' and w.removed_at is null;
  return case when found then v_id end;
end;
$$;
