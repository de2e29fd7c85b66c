-- Writes an event, its due hook scripts, and a delivery with its job for each matching webhook, in
-- the transaction of the change.  No webhook row is locked and no number is given
-- (number_events.sql), because that would serialise all changes.  `p_has_scripts` is false where
-- there are known to be none.
create or replace function panel.emit(
  p_name text,
  p_account_id bigint,
  p_operation_id uuid,
  p_body bytea,
  p_has_scripts boolean default true
)
returns bigint
language plpgsql volatile security definer
as $$
declare
  v_id bigint;
begin
  insert into events (name, account_id, seller_id, operation_id, body, data)
  values (
    p_name, p_account_id, (select a.seller_id from accounts a where a.id = p_account_id),
    p_operation_id, p_body,
    convert_from(p_body, 'utf8')::jsonb -> 'data')
  returning id into v_id;

  if p_has_scripts then
    perform add_hook_run(v_id, p_account_id);
  end if;

  insert into deliveries (id, webhook_id, event_id, queue_job_id)
  select d.id, d.webhook_id, v_id, add_delivery_job(d.id, 1)
  from (
    select gen_random_uuid() as id, w.id as webhook_id
    from webhooks w
    where w.removed_at is null and (w.events is null or p_name = any (w.events))) d;

  return v_id;
end;
$$;
grant execute on function panel.emit to panel_worker;
