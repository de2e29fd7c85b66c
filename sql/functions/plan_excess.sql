-- Returns in a sentence how a seller's accounts exceed its plan further than before; null if they
-- don't.  Accounts that exceed it already, because the plan became smaller, may come nearer to it.
-- With an account and a package: as if that account had that package.  The house has no plan.
create or replace function panel.plan_excess(
  p_seller_id bigint,
  -- Null means that the plan was not exceeded.
  p_before panel.plan_overrun default null,
  p_account_id bigint default null,
  p_package_id bigint default null
)
returns text
language plpgsql stable
as $$
declare
  v_plan sellers%rowtype;
  v_now  plan_overrun;
begin
  select * into strict v_plan from sellers where id = p_seller_id;
  if v_plan.is_house then
    return null;
  end if;
  if v_plan.max_accounts is null then
    return 'The reseller has no plan';
  end if;

  v_now := measure_overrun(p_seller_id, p_account_id, p_package_id);
  return case
    when v_now.accounts > coalesce(p_before.accounts, 0)
      then format('The reseller''s plan allows %s accounts', v_plan.max_accounts)
    when v_now.disk_mb > coalesce(p_before.disk_mb, 0)
      then format('The reseller''s plan allows %s MB of disk in all', v_plan.disk_mb)
    when v_now.max_sites > coalesce(p_before.max_sites, 0)
      then format('The reseller''s plan allows %s websites in all', v_plan.max_sites)
    when v_now.memory_mb > coalesce(p_before.memory_mb, 0)
      then format('The reseller''s plan allows %s MB of memory an account', v_plan.memory_mb)
    when v_now.cpu_percent > coalesce(p_before.cpu_percent, 0)
      then format('The reseller''s plan allows %s percent of CPU an account', v_plan.cpu_percent)
  end;
end;
$$;
