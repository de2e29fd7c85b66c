-- Returns operations as jobs (list_jobs.sql): requests, and the panel's internal ones. Payloads are
-- never read, and of answers only the sentence of a refusal: they may contain secrets.
create or replace function panel.request_jobs()
returns setof panel.run
language sql stable
as $$
  select 'request'::text as kind, o.id::text as id, s.task, s.state, o.username as account,
    coalesce(o.caller_words, 'the panel') as asked_by,
    (o.started_at is not null)::integer
      + coalesce((o.earlier_starts -> -1 ->> 'number')::integer, 0) as attempts,
    o.created_at, case when o.finished_at is null then o.due_at end as due_at, o.started_at,
    o.finished_at,
    extract(epoch from coalesce(o.started_at, o.finished_at, now()) - o.created_at) * 1000
      as waited_ms,
    extract(epoch from coalesce(o.finished_at, now()) - o.started_at) * 1000 as ran_ms,
    nullif(concat_ws('; its undo failed: ', o.error, o.undo_error), '') as error,
    case when o.status >= 400 and not o.is_sealed then o.body end as refusal,
    -- The next blocked one of its lane, otherwise the one in progress.
    case when s.state = 'blocked' then (
      select p.id::text
      from operations p
      where p.lane = o.lane and p.state in ('blocked', 'queued', 'running', 'undoing')
        and (p.state <> 'blocked' or p.arrival < o.arrival)
      order by p.state = 'blocked' desc, p.arrival desc
      limit 1) end as behind,
    -- Filter columns that match the indexes.
    o.id as uuid, null::bigint as number,
    o.state in ('blocked', 'queued', 'running', 'undoing') as is_open,
    o.state in ('done', 'failed') as is_ended,
    concat_ws(' ', s.task, o.id, o.username, o.error, o.undo_error, o.caller_words,
      case when o.status >= 400 then convert_from(o.body, 'UTF8') end) as words,
    o.account_id, o.lane, o.caller, null::uuid, null::boolean
  from operations o
  cross join lateral (
    select coalesce(o.name, 'request') as task,
      case
        when o.is_cancelled then 'cancelled'
        -- Only one added outside the API stays claimed.
        when o.state = 'claimed' then 'queued'
        when o.state = 'done' and o.status >= 400 then 'refused'
        else o.state
      end as state) s;
$$;
