-- Returns whether a webhook seems to be dead: its last 100 finished deliveries failed, and so did
-- all in the 3 days before the last of them, and the one before those.
create or replace function panel.is_failing(p_webhook_id uuid)
returns boolean
language sql stable
as $$
  with recent as (
    select d.state, d.created_at
    from deliveries d
    where d.webhook_id = p_webhook_id and d.state in ('delivered', 'failed')
    order by d.created_at desc
    limit 100
  ), since as (
    select max(r.created_at) - interval '3 days' as at from recent r
    having count(*) = 100 and bool_and(r.state = 'failed')
  )
  select exists (
    select from since
    where not exists (
      select from deliveries d
      where d.webhook_id = p_webhook_id and d.state = 'delivered' and d.created_at > since.at)
    and 'failed' = (
      select d.state from deliveries d
      where d.webhook_id = p_webhook_id and d.state in ('delivered', 'failed')
        and d.created_at <= since.at
      order by d.created_at desc
      limit 1));
$$;
grant execute on function panel.is_failing to panel_api;
