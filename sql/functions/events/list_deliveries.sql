-- Lists deliveries with their attempts, newest first: one, or those of one webhook, in one state,
-- of one event, and after a given one. Each webhook's are read by its index.
create or replace function panel.list_deliveries(
  p_id uuid default null,
  p_webhook_id uuid default null,
  p_state text default null,
  p_event text default null,
  p_after uuid default null,
  p_limit integer default null
)
returns table (
  id uuid, webhook_id uuid, url text, event_id bigint, event text, is_test boolean,
  redelivery_of uuid, state text, due_at timestamptz, created_at timestamptz,
  finished_at timestamptz, attempts json
)
language plpgsql stable security definer set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  v_after deliveries%rowtype;
begin
  select * into v_after from deliveries a where a.id = p_after;
  return query
  select d.id, d.webhook_id, w.url, d.event_id, e.name, e.is_test, d.redelivery_of, d.state,
    case d.state when 'due' then d.due_at end, d.created_at, d.finished_at, (
      select coalesce(json_agg(
        json_build_object(
          'number', t.number,
          'started_at', t.started_at,
          'duration_ms', t.duration_ms,
          'status', t.status,
          'error', t.error,
          'answer', encode(t.answer, 'base64')) order by t.number), '[]')
      from attempts t where t.delivery_id = d.id)
  from webhooks w
  cross join lateral (
    select * from deliveries d
    where d.webhook_id = w.id and (p_id is null or d.id = p_id)
      and (p_state is null or d.state = p_state)
      and (p_event is null or exists (
        select from events e where e.id = d.event_id and e.name = p_event))
      and (p_after is null or d.created_at <= v_after.created_at
        and ((d.created_at, d.event_id) < (v_after.created_at, v_after.event_id)
          or (d.created_at, d.event_id) = (v_after.created_at, v_after.event_id)
            and d.id > p_after))
    order by d.created_at desc, d.event_id desc, d.id
    limit p_limit) d
  join events e on e.id = d.event_id
  where p_webhook_id is null or w.id = p_webhook_id
  order by d.created_at desc, d.event_id desc, d.id
  limit p_limit;
end;
$$;
grant execute on function panel.list_deliveries to panel_api;
