-- Returns the state of the receivers of webhooks: the due deliveries of each, and the outcomes of
-- its latest deliveries, without tests.
create or replace function panel.list_receivers(p_webhook_id uuid default null)
returns table (
  webhook_id uuid, due integer, oldest_due_at timestamptz,
  -- At most 100, newest first: true for a delivered one.
  outcomes boolean[],
  -- The duration of the last attempts of those.
  p50_ms float8, p95_ms float8,
  -- The last attempt that failed.
  last_error text, last_error_at timestamptz, last_delivered_at timestamptz
)
language sql stable security definer
as $$
  select w.id, d.due, d.oldest, r.outcomes, r.times[1], r.times[2], r.error, r.error_at,
    r.delivered_at
  from webhooks w
  cross join lateral (
    -- More are not worth counting.
    select count(*)::integer as due, min(created_at) as oldest
    from (
      select created_at from deliveries
      where webhook_id = w.id and state = 'due'
      order by is_blocked, event_id
      limit 10000) d) d
  cross join lateral (
    select array_agg(l.state = 'delivered' order by l.created_at desc) as outcomes,
      percentile_cont(array[0.5, 0.95]) within group (order by t.duration_ms) as times,
      (array_agg(t.error order by l.created_at desc) filter (where t.error is not null))[1]
        as error,
      max(t.started_at) filter (where t.error is not null) as error_at,
      max(l.finished_at) filter (where l.state = 'delivered') as delivered_at
    from (
      select d.id, d.state, d.attempts, d.created_at, d.finished_at
      from deliveries d
      join events e on e.id = d.event_id and not e.is_test
      where d.webhook_id = w.id and d.state in ('delivered', 'failed')
      order by d.created_at desc
      limit 100) l
    left join attempts t on t.delivery_id = l.id and t.number = l.attempts) r
  where w.removed_at is null and (p_webhook_id is null or w.id = p_webhook_id);
$$;
grant execute on function panel.list_receivers to panel_api;
