-- Lists jobs of one kind (request_jobs.sql and its like), newest first. Each part of the filter is
-- null for all; `p_is_open` selects those that have ended, or all others; `p_after_at` and
-- `p_after_id` are time and id of the job that the page follows.
--
-- A caller that does not see all names itself: it gets the requests that it has made, and those of
-- accounts that are it or its seller's. Failure reasons are only for those who see all.
create or replace function panel.list_jobs(
  p_kind text,
  -- Within its kind, except for maintenance.
  p_id text default null,
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
  -- The tasks that only the queues know.
  p_maintenance text[] default null,
  -- The account of the request, since names may have belonged to others before.
  p_account_id bigint default null,
  p_caller text default null,
  p_sees_seller bigint default null,
  p_sees_account bigint default null
)
returns table (
  kind text, id text, task text, state text, account text, asked_by text, attempts integer,
  created_at timestamptz, due_at timestamptz, started_at timestamptz, finished_at timestamptz,
  waited_ms float8, ran_ms float8, error text, refusal bytea, behind text
)
language plpgsql stable security definer
as $$
declare
  v_view   text := replace(p_kind, ' ', '_') || '_jobs';
  v_uuid   uuid := case when p_kind in ('request', 'delivery') then p_id end;
  v_number bigint := case p_kind
    when 'hook run' then p_id when 'maintenance' then split_part(p_id, ':', 2) end;
  v_is_any constant boolean := p_states is null or 'done' = any (p_states);
  v_filter text := '
    ($1 is null or j.uuid = $1) and ($2 is null or j.number = $2)
    and ($3 is null or $3 and j.is_open or not $3 and j.is_ended)
    and ($4 is null or j.state = any ($4))
    and ($5 is null or j.task = $5)
    and ($6 is null or ' || case
      -- By the index of events.
      when p_kind in ('delivery', 'hook run') then 'j.number = any (array(
        select a.id from events a where a.data ->> ''username'' = $6 and not a.is_test))'
      else 'j.account = $6' end || ')
    and ($7 is null or j.created_at >= $7)
    and ($8 is null or j.finished_at >= $8)
    and ($9 is null or j.created_at <= $9 and (j.created_at < $9 or j.id > $10))
    and ($11 is null or position($11 in lower(j.words)) > 0)';
begin
  -- Few of those that ended did not succeed: they are looked up, not searched for.
  if p_kind = 'request' then
    v_filter := v_filter || '
      and ($14 is null or j.account_id = $14 and j.is_ended or j.lane = $14 and j.is_open)
      and ($15 is null or j.caller = $15 or exists (
        select from accounts a
        where a.id = j.account_id and (a.seller_id = $16 or a.id = $17)))';
  elsif p_kind = 'maintenance' then
    v_filter := v_filter || '
      and ($18 is null or j.id = $18) and (not j.is_open or j.task = any ($13))';
  elsif p_kind = 'delivery' and not p_is_open then
    v_filter := v_filter || case when v_is_any then '' else ' and j.is_stopped' end;
    -- The latest of each webhook by its index: quick however many there are.  An array is looked up
    -- by index; a set would filter all deliveries.
    v_filter := v_filter || format('
      and j.uuid = any (array(
        select l.uuid
        from webhooks w
        cross join lateral (
          select j.uuid from delivery_jobs() j where j.webhook_id = w.id and %s
          order by j.created_at desc, j.id
          limit $12) l))', v_filter);
  elsif p_kind = 'hook run' and not p_is_open and not v_is_any then
    v_filter := v_filter || '
      and j.number = any (array(
        select u.event_id from hook_runs u where u.error is not null or u.is_cancelled
        union
        select h.event_id from script_runs h
        where h.outcome in (''failed'', ''timed_out'', ''refused'') and not h.is_repeated))';
  end if;
  return query execute format('
    select j.kind, j.id, j.task, j.state, j.account, j.asked_by, j.attempts, j.created_at, j.due_at,
      j.started_at, j.finished_at, round(j.waited_ms)::float8, round(j.ran_ms)::float8,
      case when $15 is null then j.error end, j.refusal, j.behind
    from %I() j
    where %s
    order by j.created_at desc, j.id
    limit $12', v_view, v_filter)
  using v_uuid, v_number, p_is_open, p_states, p_task, p_account, p_since, p_ended_since,
    p_after_at, p_after_id, p_search, p_limit, p_maintenance, p_account_id, p_caller,
    p_sees_seller, p_sees_account, case p_kind when 'maintenance' then p_id end;
end;
$$;
grant execute on function panel.list_jobs to panel_api;
