-- Sends a test event to one webhook, whatever events it wants, in a single try; returns the
-- delivery's id, or null if there is no such webhook.  It is not emitted: no other webhook and no
-- hook script gets it.
create or replace function panel.try_out_webhook(p_webhook_id uuid, p_name text, p_body bytea)
returns uuid
language plpgsql volatile security definer
as $$
declare
  v_id       constant uuid := gen_random_uuid();
  v_event_id bigint;
begin
  if not exists (select from webhooks where id = p_webhook_id and removed_at is null) then
    return null;
  end if;

  insert into events (name, body, data, is_test)
  values (p_name, p_body, convert_from(p_body, 'utf8')::jsonb -> 'data', true)
  returning id into v_event_id;

  insert into deliveries (id, webhook_id, event_id, max_tries, queue_job_id)
  values (v_id, p_webhook_id, v_event_id, 1, add_delivery_job(v_id, 1));
  return v_id;
end;
$$;
