-- All hook scripts of an event as one job (list_request_jobs.sql). `tries` is that of the script
-- with the most.
create or replace function panel.list_hook_run_jobs(
  p_id bigint default null,
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
  select 'hook run', 'hook:' || r.event_id, 'hook/run', s.state, e.data ->> 'username',
    'the event ' || e.name, coalesce(y.tries, 0)::integer, r.created_at, null::timestamptz,
    r.started_at, r.finished_at,
    round(extract(epoch from coalesce(r.started_at, r.finished_at, now()) - r.created_at)
      * 1000)::float8,
    round(extract(epoch from coalesce(r.finished_at, now()) - r.started_at) * 1000)::float8,
    coalesce(r.error, y.error), null::bytea,
    case when s.state = 'parked' then (
      select 'hook:' || p.event_id
      from hook_runs p
      where p.account_id = r.account_id and p.state <> 'done'
        and (p.state <> 'parked' or p.event_id < r.event_id)
      order by p.state = 'parked' desc, p.event_id desc
      limit 1) end
  from hook_runs r
  join events e on e.id = r.event_id
  cross join lateral (
    select max(n.tries) as tries, min(n.error) as error
    from (
      select count(*) as tries,
        min(h.name || ': ' || h.reason) filter (
          where not h.is_repeated and h.outcome in ('failed', 'timed_out', 'refused')) as error
      from script_runs h where h.event_id = r.event_id
      group by h.name) n) y
  cross join lateral (
    select case
        when r.is_cancelled then 'cancelled'
        when r.state <> 'done' then r.state
        when r.error is not null or y.error is not null then 'failed'
        else 'done'
      end as state) s
  where (p_id is null or r.event_id = p_id)
    and (p_is_open is null or p_is_open and r.state <> 'done'
      or not p_is_open and r.state = 'done')
    and (p_states is null or s.state = any (p_states))
    -- Of those that have ended few did not succeed: they are looked up, not searched for.
    and (p_is_open is distinct from false or p_states is null or 'done' = any (p_states)
      or r.event_id = any (array(
        select u.event_id from hook_runs u where u.error is not null or u.is_cancelled
        union
        select h.event_id from script_runs h
        where h.outcome in ('failed', 'timed_out', 'refused') and not h.is_repeated)))
    and (p_task is null or p_task = 'hook/run')
    and (p_account is null or r.event_id = any (array(
      select a.id from events a where a.data ->> 'username' = p_account)))
    and (p_since is null or r.created_at >= p_since)
    and (p_ended_since is null or r.finished_at >= p_ended_since)
    and (p_after_at is null or r.created_at <= p_after_at
      and (r.created_at < p_after_at or 'hook:' || r.event_id > p_after_id))
    and (p_search is null or position(p_search in lower(concat_ws(' ', 'hook/run',
      'hook:' || r.event_id, e.name, e.data ->> 'username', r.error, y.error))) > 0)
  order by r.created_at desc, 'hook:' || r.event_id
  limit p_limit;
end;
$$;
grant execute on function panel.list_hook_run_jobs to panel_api;
