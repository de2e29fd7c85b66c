-- Says in a sentence how a plan is exceeded further than before; null if it isn't.  What exceeds it
-- already, because the plan became smaller, may come nearer to it.  Internal.
create or replace function panel.describe_excess(
  p_plan panel.sellers,
  p_now panel.plan_overrun,
  -- Null means that the plan was not exceeded.
  p_before panel.plan_overrun
)
returns text
language sql stable
as $$
  select case
    when p_now.accounts > coalesce(p_before.accounts, 0)
      then 'The reseller''s plan allows ' || counted(p_plan.max_accounts, 'account')
    when p_now.disk_mb > coalesce(p_before.disk_mb, 0)
      then format('The reseller''s plan allows %s MB of disk in all', p_plan.disk_mb)
    when p_now.max_sites > coalesce(p_before.max_sites, 0)
      then format('The reseller''s plan allows %s in all', counted(p_plan.max_sites, 'website'))
    when p_now.memory_mb > coalesce(p_before.memory_mb, 0)
      then format('The reseller''s plan allows %s MB of memory an account', p_plan.memory_mb)
    when p_now.cpu_percent > coalesce(p_before.cpu_percent, 0)
      then format('The reseller''s plan allows %s percent of CPU an account', p_plan.cpu_percent)
  end;
$$;
