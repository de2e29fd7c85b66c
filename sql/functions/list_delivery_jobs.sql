-- Deliveries of webhooks as jobs (list_request_jobs.sql). `ran_ms` is the sum of the tries, without
-- the waits between them.
create or replace function panel.list_delivery_jobs(
  p_id uuid default null,
  p_is_open boolean default null,
  p_states text[] default null,
  p_task text default null,
  p_account text default null,
  p_limit integer default null,
  p_since timestamptz default null,
  p_search text default null,
  p_after_at timestamptz default null,
  p_after_id text default null,
  p_ended_since timestamptz default null
)
returns setof panel.job
language plpgsql stable security definer set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select 'delivery', d.id::text, 'webhook/deliver', s.state, e.data ->> 'username',
    case
      when e.is_test then 'a test of the webhook'
      when d.redelivery_of is not null then 'a redelivery of ' || d.redelivery_of
      else 'the event ' || e.name
    end,
    d.tries, d.created_at, case when d.finished_at is null then d.due_at end, y.started_at,
    d.finished_at,
    round(extract(epoch from coalesce(y.started_at, d.finished_at, now()) - d.created_at)
      * 1000)::float8,
    y.ran_ms, y.error, null::bytea,
    case when s.state = 'parked' then (
      select p.id::text from deliveries p
      where p.webhook_id = d.webhook_id and p.state = 'due' and not p.is_parked
      order by p.event_id
      limit 1) end
  from deliveries d
  join events e on e.id = d.event_id
  left join courier_queue.jobs j on j.id = d.queue_job_id
  cross join lateral (
    select case
        when d.state = 'delivered' then 'done'
        when d.state <> 'due' then d.state
        when d.is_parked then 'parked'
        when j.locked_at is not null then 'running'
        else 'queued'
      end as state) s
  cross join lateral (
    select min(y.started_at) as started_at, sum(y.duration_ms)::float8 as ran_ms,
      (array_agg(y.error order by y.number desc))[1] as error
    from tries y where y.delivery_id = d.id) y
  where (p_id is null or d.id = p_id)
    and (p_is_open is null or not p_is_open or d.state = 'due')
    -- Of those that have ended the latest of each webhook by its index: quick however many there
    -- are. An array is looked up by index; a set would filter all deliveries.
    and (p_is_open is null or p_is_open or d.id = any (array(
      select l.id
      from webhooks w
      cross join lateral (
        select d.id
        from deliveries d
        where d.webhook_id = w.id and d.state <> 'due'
          and (p_states is null or 'done' = any (p_states)
            or d.state not in ('due', 'delivered'))
          and (p_states is null
            or case d.state when 'delivered' then 'done' else d.state end = any (p_states))
          and (p_account is null or d.event_id = any (array(
            select a.id from events a
            where a.data ->> 'username' = p_account and not a.is_test)))
          and (p_since is null or d.created_at >= p_since)
          and (p_ended_since is null or d.finished_at >= p_ended_since)
          and (p_after_at is null or d.created_at <= p_after_at
            and (d.created_at < p_after_at or d.id::text > p_after_id))
        order by d.created_at desc, d.id::text
        limit case when p_search is null then p_limit end) l)))
    and (p_states is null or s.state = any (p_states))
    and (p_task is null or p_task = 'webhook/deliver')
    and (p_account is null or d.event_id = any (array(
      select a.id from events a
      where a.data ->> 'username' = p_account and not a.is_test)))
    and (p_since is null or d.created_at >= p_since)
    and (p_ended_since is null or d.finished_at >= p_ended_since)
    and (p_after_at is null or d.created_at <= p_after_at
      and (d.created_at < p_after_at or d.id::text > p_after_id))
    and (p_search is null or position(p_search in lower(concat_ws(' ', 'webhook/deliver', d.id,
      d.webhook_id, e.name, e.data ->> 'username', y.error))) > 0)
  order by d.created_at desc, d.id::text
  limit p_limit;
end;
$$;
grant execute on function panel.list_delivery_jobs to panel_api;
