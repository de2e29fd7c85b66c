-- Returns all hook scripts of an event as one job (list_jobs.sql). `attempts` is the maximum over
-- the scripts.
create or replace function panel.hook_run_jobs()
returns setof panel.run
language sql stable
as $$
  select 'hook run'::text as kind, 'hook:' || r.event_id as id, 'hook/run'::text as task, s.state,
    e.data ->> 'username' as account, 'the event ' || e.name as asked_by,
    coalesce(y.attempts, 0)::integer as attempts, r.created_at, null::timestamptz as due_at,
    r.started_at, r.finished_at,
    extract(epoch from coalesce(r.started_at, r.finished_at, now()) - r.created_at) * 1000
      as waited_ms,
    extract(epoch from coalesce(r.finished_at, now()) - r.started_at) * 1000 as ran_ms,
    coalesce(r.error, y.error) as error, null::bytea as refusal,
    case when s.state = 'blocked' then (
      select 'hook:' || p.event_id
      from hook_runs p
      where p.account_id = r.account_id and p.state <> 'done'
        and (p.state <> 'blocked' or p.event_id < r.event_id)
      order by p.state = 'blocked' desc, p.event_id desc
      limit 1) end as behind,
    -- Filter columns that match the indexes.
    null::uuid as uuid, r.event_id as number, r.state <> 'done' as is_open,
    r.state = 'done' as is_ended,
    concat_ws(' ', 'hook/run', 'hook:' || r.event_id, e.name, e.data ->> 'username', r.error,
      y.error)
      as words,
    null::bigint, null::bigint, null::text, null::uuid, null::boolean
  from hook_runs r
  -- Left joins, so that PostgreSQL can leave them out of a statement that does not use them.
  left join events e on e.id = r.event_id
  left join lateral (
    select max(n.attempts) as attempts, min(n.error) as error
    from (
      select count(*) as attempts,
        min(h.name || ': ' || h.reason) filter (
          where not h.is_repeated and h.outcome in ('failed', 'timed_out', 'refused')) as error
      from script_runs h where h.event_id = r.event_id
      group by h.name) n) y on true
  cross join lateral (
    select case
        when r.is_cancelled then 'cancelled'
        when r.state <> 'done' then r.state
        when r.error is not null or exists (
          select from script_runs h
          where h.event_id = r.event_id and not h.is_repeated
            and h.outcome in ('failed', 'timed_out', 'refused')) then 'failed'
        else 'done'
      end as state) s;
$$;
