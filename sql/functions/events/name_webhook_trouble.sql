-- Returns the trouble of a webhook whose latest deliveries have all failed; null if one has arrived
-- or none has ended. `failing`: nothing has arrived for days. `unreached`: all that are kept have
-- failed, fewer than 100. `silent`: its last 100 deliveries have failed, all within days. Test
-- events do not count.
create or replace function panel.name_webhook_trouble(p_webhook_id uuid)
returns text
language sql stable security definer
as $$
  select case
    when is_failing(p_webhook_id) then 'failing'
    when l.ended = 0 or not l.has_failed then null
    when l.ended < 100 then 'unreached'
    else 'silent'
  end
  from (
    select count(*) as ended, bool_and(d.state = 'failed') as has_failed
    from (
      select d.state
      from deliveries d
      join events e on e.id = d.event_id and not e.is_test
      where d.webhook_id = p_webhook_id and d.state in ('delivered', 'failed')
      order by d.created_at desc
      limit 100) d) l;
$$;
grant execute on function panel.name_webhook_trouble to panel_api;
