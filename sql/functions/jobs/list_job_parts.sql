-- Lists the parts of a job that is not an operation, by its kind and the id within it: the attempts
-- of a delivery or of maintenance (whose id has its worker), the scripts of a hook run.
create or replace function panel.list_job_parts(p_kind text, p_id text)
returns table (
  name text,
  -- Since the first of them.
  at_ms float8,
  ms float8,
  -- Whether it succeeded.
  is_good boolean,
  outcome text, error text, output bytea
)
language plpgsql stable security definer
as $$
#variable_conflict use_column
declare
  v_worker constant text := split_part(p_id, ':', 1);
begin
  if p_kind = 'delivery' then
    return query
    select 'attempt ' || s.number,
      round(extract(epoch from s.started_at - min(s.started_at) over ()) * 1000)::float8 as at_ms,
      s.duration_ms::float8, s.error is null, coalesce('answered ' || s.status, 'no answer'),
      s.error, s.answer
    from attempts s where s.delivery_id = p_id::uuid
    order by s.number;
  elsif p_kind = 'hook run' then
    return query
    select s.name,
      round(extract(epoch from s.started_at - min(s.started_at) over ()) * 1000)::float8 as at_ms,
      s.duration_ms::float8, coalesce(s.outcome = 'succeeded', false),
      coalesce(replace(s.outcome, '_', ' '), 'running')
        || case when s.is_repeated then ', repeated' else '' end,
      s.reason, s.stdout || s.stderr
    from script_runs s where s.event_id = p_id::bigint
    order by at_ms, s.name;
  else
    return query
    select 'attempt ' || row_number() over (order by s.id),
      round(extract(epoch from s.started_at - min(s.started_at) over ()) * 1000)::float8 as at_ms,
      round(extract(epoch from s.finished_at - s.started_at) * 1000)::float8, s.error is null,
      case when s.error is null then 'done' else 'failed' end, s.error, null::bytea
    from maintenance_runs s
    where s.worker = v_worker and s.job_id = split_part(p_id, ':', 2)::bigint
    order by s.id;
  end if;
end;
$$;
grant execute on function panel.list_job_parts to panel_api;
