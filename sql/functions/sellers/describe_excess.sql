-- Returns which limit of a plan is exceeded further than before, and its value: `{"limit":
-- "disk_mb", "allowed": 1000}`; null if none is. A value that exceeds the plan already, because the
-- plan became smaller, may come nearer to it. Internal.
create or replace function panel.describe_excess(
  p_plan panel.sellers,
  p_now panel.plan_overrun,
  -- Null means that the plan was not exceeded.
  p_before panel.plan_overrun
)
returns jsonb
language sql stable
as $$
  select jsonb_build_object('limit', e."limit", 'allowed', e.allowed)
  from (values
    (1, 'max_accounts', p_plan.max_accounts::bigint, p_now.accounts, p_before.accounts),
    (2, 'disk_mb', p_plan.disk_mb, p_now.disk_mb, p_before.disk_mb),
    (3, 'max_sites', p_plan.max_sites, p_now.max_sites, p_before.max_sites),
    (4, 'memory_mb', p_plan.memory_mb, p_now.memory_mb, p_before.memory_mb),
    (5, 'cpu_percent', p_plan.cpu_percent, p_now.cpu_percent, p_before.cpu_percent)
  ) e (position, "limit", allowed, over, over_before)
  where e.over > coalesce(e.over_before, 0)
  order by e.position
  limit 1;
$$;
