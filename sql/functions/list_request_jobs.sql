-- Operations as jobs (src/model/jobs.ts): requests, and what the panel has asked of itself.
-- Payloads are never read, and of answers only the sentence of a refusal: they may hold secrets.
-- Each part of the filter is null for all; `p_is_open` leaves out those that have ended, or all
-- others; `p_after_at` and `p_after_id` are time and id of the job that the page follows.
--
-- A caller that does not see all names itself: it gets those that it has asked for, and those of
-- accounts that are it or are its seller's.  Why one has failed is for those who see all.
create or replace function panel.list_request_jobs(
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
  p_ended_since timestamptz default null,
  -- Whose job it is, where names may have belonged to others before.
  p_account_id bigint default null,
  p_caller text default null,
  p_sees_seller bigint default null,
  p_sees_account bigint default null
)
returns setof panel.job
-- Planned for what is asked: most of the filter is null.
language plpgsql stable security definer set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  select 'request', o.id::text, s.task, s.state, o.username,
    coalesce(o.caller_words, 'the panel'),
    (o.started_at is not null)::integer
      + coalesce((o.earlier_starts -> -1 ->> 'number')::integer, 0),
    o.created_at, case when o.finished_at is null then o.due_at end, o.started_at, o.finished_at,
    round(extract(epoch from coalesce(o.started_at, o.finished_at, now()) - o.created_at)
      * 1000)::float8,
    round(extract(epoch from coalesce(o.finished_at, now()) - o.started_at) * 1000)::float8,
    case when p_caller is null
      then nullif(concat_ws('; its undo failed: ', o.error, o.undo_error), '') end,
    case when o.status >= 400 and not o.is_sealed then o.body end,
    -- The next parked one of its lane, else that which is under way.
    case when s.state = 'parked' then (
      select p.id::text
      from operations p
      where p.lane = o.lane and p.state in ('parked', 'queued', 'running', 'undoing')
        and (p.state <> 'parked' or p.arrival < o.arrival)
      order by p.state = 'parked' desc, p.arrival desc
      limit 1) end
  from operations o
  cross join lateral (
    select coalesce(o.name, 'request') as task,
      case
        when o.is_cancelled then 'cancelled'
        -- Only past the API one is left as it was claimed.
        when o.state = 'claimed' then 'queued'
        when o.state = 'done' and o.status >= 400 then 'refused'
        else o.state
      end as state) s
  where (p_id is null or o.id = p_id)
    and (p_is_open is null
      or p_is_open and o.state in ('parked', 'queued', 'running', 'undoing')
      or not p_is_open and o.state in ('done', 'failed'))
    and (p_states is null or s.state = any (p_states))
    and (p_task is null or s.task = p_task)
    and (p_account is null or o.username = p_account)
    -- In the words of the indexes of what has ended and what has not.
    and (p_account_id is null
      or o.account_id = p_account_id and o.state in ('done', 'failed')
      or o.lane = p_account_id and o.state in ('parked', 'queued', 'running', 'undoing'))
    and (p_caller is null or o.caller = p_caller or exists (
      select from accounts a
      where a.id = o.account_id and (a.seller_id = p_sees_seller or a.id = p_sees_account)))
    and (p_since is null or o.created_at >= p_since)
    and (p_ended_since is null or o.finished_at >= p_ended_since)
    and (p_after_at is null or o.created_at <= p_after_at
      and (o.created_at < p_after_at or o.id::text > p_after_id))
    and (p_search is null or position(p_search in lower(concat_ws(' ', s.task, o.id, o.username,
      o.error, o.undo_error, o.caller_words,
      case when o.status >= 400 then convert_from(o.body, 'UTF8') end))) > 0)
  order by o.created_at desc, o.id::text
  limit p_limit;
end;
$$;
grant execute on function panel.list_request_jobs to panel_api;
