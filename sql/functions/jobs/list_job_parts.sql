-- Lists the parts of a job that is not an operation, by its kind and the id within it: the attempts
-- of a delivery or of maintenance (whose id has its worker), the scripts of a hook run.
create or replace function panel.list_job_parts(p_kind text, p_id text)
returns table (
  -- The script; null for an attempt, which has a number.
  name text,
  number integer,
  -- Since the first of them.
  at_ms float8,
  ms float8,
  -- 'answered' and 'unanswered' for a delivery.
  outcome text,
  -- The status of the answer.
  status integer,
  -- Whether a script ran again, or an earlier run of it did.
  is_repeated boolean,
  error text, output bytea
)
language sql stable security definer
as $$
  with part as (
    select null as name, s.number, s.started_at, s.duration_ms::float8 as ms,
      case when s.status is null then 'unanswered' else 'answered' end as outcome, s.status,
      false as is_repeated, s.error, s.answer as output
    from attempts s
    where s.delivery_id = case p_kind when 'delivery' then p_id::uuid end
    union all
    select s.name, null, s.started_at, s.duration_ms, coalesce(s.outcome, 'running'), null,
      s.is_repeated, s.reason, s.stdout || s.stderr
    from script_runs s
    where s.event_id = case p_kind when 'hook run' then p_id::bigint end
    union all
    select null, row_number() over (order by s.id), s.started_at,
      round(extract(epoch from s.finished_at - s.started_at) * 1000),
      case when s.error is null then 'done' else 'failed' end, null, false, s.error, null
    from maintenance_runs s
    where p_kind = 'maintenance' and s.worker = split_part(p_id, ':', 1)
      and s.job_id = case p_kind when 'maintenance' then split_part(p_id, ':', 2)::bigint end
  )
  select name, number,
    round(extract(epoch from started_at - min(started_at) over ()) * 1000)::float8 as at_ms,
    ms, outcome, status, is_repeated, error, output
  from part
  order by number, at_ms, name;
$$;
grant execute on function panel.list_job_parts to panel_api;
