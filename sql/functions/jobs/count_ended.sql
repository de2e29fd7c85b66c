-- Counts jobs and deliveries that ended between two moments, by kind, task and outcome. Internal.
create or replace function panel.count_ended(p_after timestamptz, p_until timestamptz)
returns table (kind text, name text, outcome text, count bigint)
language sql stable
as $$
  select case kind when 'delivery' then 'delivery' else 'job' end,
    case kind when 'delivery' then '' else task end,
    case when kind = 'delivery' and state = 'done' then 'delivered' else state end, count(*)
  from all_runs()
  where is_ended and finished_at > p_after and finished_at <= p_until
  group by 1, 2, 3;
$$;
