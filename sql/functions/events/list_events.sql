-- Returns a page of the events after a number, in order: all of them, or those whose account
-- belonged to one seller when they happened.
create or replace function panel.list_events(
  p_after bigint,
  p_limit integer,
  -- Null means all.
  p_seller_id bigint,
  out bodies bytea[],
  -- The number to continue from.
  out next bigint,
  out has_more boolean,
  -- False if events after `p_after` have been purged.
  out complete boolean,
  -- The last number given on this server.
  out last bigint
)
language plpgsql volatile security definer set plan_cache_mode = force_custom_plan
as $$
begin
  perform number_events();

  -- One statement, so that everything is from one moment.
  select p.bodies, p.has_more,
    case when p.has_more then p.highest else greatest(n.value, p_after) end,
    p_after >= u.value, n.value
  into bodies, has_more, next, complete, last
  from event_counters n, event_counters u, (
    select
      coalesce(array_agg(f.body order by f.ordinal) filter (where f.ordinal <= p_limit), '{}')
        as bodies,
      count(*) > p_limit as has_more,
      max(f.sequence) filter (where f.ordinal <= p_limit) as highest
    from (
      select e.sequence, event_body(e) as body, row_number() over (order by e.sequence) as ordinal
      from events e
      where e.sequence > 0 and e.sequence > p_after
        and (p_seller_id is null or e.seller_id = p_seller_id)
      order by e.sequence
      limit p_limit + 1) f) p
  where n.name = 'numbered' and u.name = 'purged';
end;
$$;
grant execute on function panel.list_events to panel_api;
