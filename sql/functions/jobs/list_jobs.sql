-- Lists jobs (all_runs.sql), newest first. Each part of the filter is null for all; `p_is_open`
-- selects those that have not ended, or those that have; `p_after_at` and `p_after_id` are time and
-- id of the job that the page follows.
--
-- A caller that does not see all names itself: it gets the requests that it has made, and those of
-- accounts that are it or its seller's. Failure reasons are only for those who see all.
create or replace function panel.list_jobs(
  p_kinds text[] default null,
  -- The id within the one kind, except for maintenance.
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
  kind text, id text, task text, state text, account text, caller_words text, event text,
  is_test boolean, redelivery_of uuid, attempts integer, created_at timestamptz,
  due_at timestamptz, started_at timestamptz, finished_at timestamptz, waited_ms float8,
  ran_ms float8, error text, undo_error text, refusal bytea, waits_for text
)
language plpgsql stable security definer
-- A plan without the parts of the filter that are null, and without kinds that are not asked for.
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  v_uuid    constant uuid := case when p_kinds <@ '{request,delivery}' then p_id end;
  v_number  constant bigint := case p_kinds[1]
    when 'hook run' then p_id when 'maintenance' then split_part(p_id, ':', 2) end;
  v_is_any  constant boolean :=
    p_is_open is not false or p_states is null or 'done' = any (p_states);
  v_is_open constant boolean := p_is_open is not true or p_states is null
    or p_states && '{blocked,queued,running,undoing}';
  -- By the index of events.
  v_events  constant bigint[] := case when p_account is not null then array(
    select a.id from events a where a.data ->> 'username' = p_account and not a.is_test) end;
  -- Few of those that ended did not succeed: they are looked up, not searched for.
  v_stopped constant bigint[] := case when not v_is_any then array(
    select u.event_id from hook_runs u where u.error is not null or u.is_cancelled
    union
    select h.event_id from script_runs h
    where h.outcome in ('failed', 'timed_out', 'refused') and not h.is_repeated) end;
begin
  return query
  select j.kind, j.id, j.task, j.state, j.account, j.caller_words, j.event, j.is_test,
    j.redelivery_of, j.attempts, j.created_at, j.due_at, j.started_at, j.finished_at,
    round(extract(epoch from coalesce(j.started_at, j.finished_at, now()) - j.created_at) * 1000)
      ::float8,
    round(j.ran_ms)::float8, case when p_caller is null then j.error end,
    case when p_caller is null then j.undo_error end, j.refusal, j.waits_for
  from all_runs() j
  where (p_kinds is null or j.kind = any (p_kinds))
    and (p_is_open is null or p_is_open and j.is_open or not p_is_open and j.is_ended)
    and j.is_last
    and (v_uuid is null or j.uuid = v_uuid)
    and (v_number is null or j.number = v_number)
    and (p_id is null or j.kind <> 'maintenance' or j.id = p_id)
    and (p_states is null or j.state = any (p_states))
    -- Only maintenance stays in its queue after a failure.
    and (v_is_open or j.kind = 'maintenance')
    and (p_task is null or j.task = p_task)
    and (j.kind <> 'maintenance' or j.is_ended or j.task = any (p_maintenance))
    and (p_account is null or case
      when j.kind in ('delivery', 'hook run') then j.number = any (v_events)
      else j.account = p_account end)
    and (p_since is null or j.created_at >= p_since)
    and (p_ended_since is null or j.finished_at >= p_ended_since)
    and (p_after_at is null
      or j.created_at <= p_after_at and (j.created_at < p_after_at or j.id > p_after_id))
    and (p_search is null or position(p_search in lower(j.words)) > 0)
    and (v_is_any or j.kind <> 'delivery' or j.is_stopped)
    and (v_is_any or j.kind <> 'hook run' or j.number = any (v_stopped))
    and (p_account_id is null
      or j.account_id = p_account_id and j.is_ended or j.lane = p_account_id and j.is_open)
    and (p_caller is null or j.caller = p_caller or exists (
      select from accounts a
      where a.id = j.account_id and (a.seller_id = p_sees_seller or a.id = p_sees_account)))
  order by j.created_at desc, j.id
  limit p_limit;
end;
$$;
grant execute on function panel.list_jobs to panel_api;
