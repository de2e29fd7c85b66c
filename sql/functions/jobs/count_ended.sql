-- Counts jobs and deliveries that ended between two moments, by kind, task and outcome. Internal.
create or replace function panel.count_ended(p_after timestamptz, p_until timestamptz)
returns table (kind text, name text, outcome text, count bigint)
language sql stable
as $$
  select 'job', coalesce(name, 'request'),
    case
      when is_cancelled then 'cancelled'
      when state = 'failed' then 'failed'
      when status >= 400 then 'refused'
      else 'done'
    end, count(*)
  from operations
  where state in ('done', 'failed') and finished_at > p_after and finished_at <= p_until
  group by 1, 2, 3
  union all
  select 'job', 'hook/run',
    case when is_cancelled then 'cancelled' when error is not null then 'failed' else 'done' end,
    count(*)
  from hook_runs
  where state = 'done' and finished_at > p_after and finished_at <= p_until
  group by 1, 2, 3
  union all
  select 'job', task, case when error is null then 'done' else 'failed' end, count(*)
  from maintenance_runs
  where finished_at > p_after and finished_at <= p_until
  group by 1, 2, 3
  union all
  select 'delivery', '', state, count(*)
  from deliveries
  where state <> 'due' and finished_at > p_after and finished_at <= p_until
  group by 1, 2, 3;
$$;
