-- Creates new deliveries of the events with a number above `p_after` up to `p_until`, for one
-- webhook or all, each of the events that it is registered for. An event with a due delivery to the
-- same webhook gets no second one.
--
-- They are blocked: the sweeper starts the first ones, and each that ends is followed by the next,
-- so that any number of them costs the queue nothing.
create or replace function panel.redeliver_events(
  p_after bigint,
  -- Null means up to the last one.
  p_until bigint,
  -- Null means all.
  p_webhook_id uuid,
  -- The maximum number of deliveries, unless one event has more webhooks than that.
  p_limit integer,
  out deliveries integer,
  -- The number to continue from.
  out next bigint,
  out has_more boolean,
  -- False if events in the range have been purged.
  out complete boolean,
  -- The last number given on this server.
  out last bigint,
  -- Deliveries already due to one of these webhooks, as far as they are worth counting.
  out due integer
)
language plpgsql volatile security definer set plan_cache_mode = force_custom_plan
as $$
declare
  v_webhooks constant uuid[] := array(
    select id from webhooks
    where removed_at is null and (p_webhook_id is null or id = p_webhook_id));
  v_until bigint;
begin
  perform number_events();
  select value into last from event_counters where name = 'numbered';
  v_until := least(coalesce(p_until, last), last);
  select p_after >= value into complete from event_counters where name = 'purged';

  select coalesce(max(d.count), 0) into due
  from unnest(v_webhooks) as w (id),
    lateral (
      select count(*)::integer
      from (
        select from deliveries o
        where o.webhook_id = w.id and o.state = 'due'
        limit p_limit + 1) counted) d;
  if due > p_limit or p_webhook_id is not null and cardinality(v_webhooks) = 0 then
    return;
  end if;

  with page as (
    select e.id, e.name, e.sequence
    from events e
    where e.sequence > 0 and e.sequence > p_after and e.sequence <= v_until
    order by e.sequence
    limit p_limit
  ), pairs as (
    select e.id as event_id, e.sequence, w.id as webhook_id,
      -- With all webhooks of the same event.
      count(*) over (order by e.sequence) as so_far
    from page e
    join webhooks w on w.events is null or e.name = any (w.events)
    where w.id = any (v_webhooks)
  ), chosen as (
    select * from pairs
    where so_far <= p_limit or sequence = (select min(sequence) from pairs)
  ), made as (
    insert into deliveries (webhook_id, event_id, redelivery_of, is_blocked)
    select c.webhook_id, c.event_id, (
        select d.id from deliveries d
        where d.event_id = c.event_id and d.webhook_id = c.webhook_id
        order by d.created_at desc
        limit 1),
      true
    from chosen c
    where not exists (
      select from deliveries d
      where d.event_id = c.event_id and d.webhook_id = c.webhook_id and d.state = 'due')
    returning 1
  )
  select (select count(*) from made),
    case
      when (select count(*) from chosen) < (select count(*) from pairs)
      then (select max(sequence) from chosen)
      when (select count(*) from page) = p_limit then (select max(sequence) from page)
      else greatest(v_until, p_after)
    end
  into deliveries, next;
  has_more := next < v_until;
end;
$$;
grant execute on function panel.redeliver_events to panel_api;
