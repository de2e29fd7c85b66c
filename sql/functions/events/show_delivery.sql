-- Returns the event and the address of a delivery.
create or replace function panel.show_delivery(p_id uuid)
returns table (event text, event_id bigint, webhook_id uuid, url text, body bytea)
language sql stable security definer
as $$
  select e.name, e.id, w.id, w.url, coalesce(event_body(e), e.body)
  from deliveries d
  join events e on e.id = d.event_id
  join webhooks w on w.id = d.webhook_id
  where d.id = p_id;
$$;
grant execute on function panel.show_delivery to panel_api;
