-- Sends a test event to one webhook, whatever events it is registered for, in a single attempt;
-- returns the delivery's id, which the caller may choose so that a repeat sends nothing more, or
-- null if there is no such webhook. It is not emitted: no other webhook and no hook script gets it.
create or replace function panel.try_out_webhook(
  p_webhook_id uuid,
  p_name text,
  p_body bytea,
  p_as uuid default gen_random_uuid()
)
returns uuid
language plpgsql volatile security definer
as $$
declare
  v_event_id bigint;
begin
  if not exists (select from webhooks where id = p_webhook_id and removed_at is null) then
    return null;
  elsif exists (select from deliveries d where d.id = p_as and d.webhook_id = p_webhook_id) then
    return p_as;
  end if;

  insert into events (name, body, data, is_test, sequence)
  values (p_name, p_body, convert_from(p_body, 'utf8')::jsonb -> 'data', true, 0)
  returning id into v_event_id;

  insert into deliveries (id, webhook_id, event_id, max_attempts, queue_job_id)
  values (p_as, p_webhook_id, v_event_id, 1, add_delivery_job(p_as, 1))
  on conflict (id) do nothing;
  return p_as;
end;
$$;
grant execute on function panel.try_out_webhook to panel_api;
