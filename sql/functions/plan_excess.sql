-- Says in a sentence how a seller's accounts leave its plan, or null where they don't.  Counted
-- from rows, creates and package changes under way included, never from counters; the caller holds
-- the seller's row, so that two cannot both take the last place.  With an account and a package: as
-- if that account had that package.  The house has no plan.
create or replace function panel.plan_excess(
  p_seller_id bigint,
  p_account_id bigint default null,
  p_package_id bigint default null
)
returns text
language plpgsql stable
set search_path = panel, pg_temp
as $$
declare
  v_plan sellers%rowtype;
  v_used record;
begin
  select * into strict v_plan from sellers where id = p_seller_id;
  if v_plan.is_house then
    return null;
  end if;
  if v_plan.max_accounts is null then
    return 'The reseller has no plan';
  end if;

  select count(*) as accounts,
    coalesce(sum(largest.disk_mb), 0) as disk_mb,
    coalesce(sum(largest.max_sites), 0) as max_sites,
    coalesce(max(largest.memory_mb), 0) as memory_mb,
    coalesce(max(largest.cpu_percent), 0) as cpu_percent
  into v_used
  from accounts a
  -- An account counts with the largest of the packages that it has or may soon have.
  cross join lateral (
    select max(p.disk_mb) as disk_mb, max(p.max_sites) as max_sites,
      max(p.memory_mb) as memory_mb, max(p.cpu_percent) as cpu_percent
    from packages p
    where p.id = a.package_id
      or (a.id = p_account_id and p.id = p_package_id)
      or p.id in (
        select (o.wants ->> 'package_id')::bigint
        from operations o
        where o.account_id = a.id and o.state in ('parked', 'queued', 'running'))
  ) largest
  where a.seller_id = p_seller_id and a.state <> 'terminated';

  return case
    when v_used.accounts > v_plan.max_accounts
      then format('The reseller''s plan allows %s accounts', v_plan.max_accounts)
    when v_used.disk_mb > v_plan.disk_mb
      then format('The reseller''s plan allows %s MB of disk in all', v_plan.disk_mb)
    when v_used.max_sites > v_plan.max_sites
      then format('The reseller''s plan allows %s websites in all', v_plan.max_sites)
    when v_used.memory_mb > v_plan.memory_mb
      then format('The reseller''s plan allows %s MB of memory an account', v_plan.memory_mb)
    when v_used.cpu_percent > v_plan.cpu_percent
      then format('The reseller''s plan allows %s percent of CPU an account', v_plan.cpu_percent)
  end;
end;
$$;

revoke execute on function panel.plan_excess from public;
