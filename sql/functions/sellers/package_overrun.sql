-- Returns by how much one account on a package would exceed its seller's plan, were it the only
-- one. Null without a plan. Internal: the callers hold the seller's row lock.
create or replace function panel.package_overrun(p_package_id bigint)
returns panel.plan_overrun
language sql stable
as $$
  select
    0,
    greatest(p.disk_mb - s.disk_mb, 0),
    greatest(p.max_sites - s.max_sites, 0),
    greatest(p.memory_mb - s.memory_mb, 0),
    greatest(p.cpu_percent - s.cpu_percent, 0)
  from packages p
  join sellers s on s.id = p.seller_id
  where p.id = p_package_id and s.max_accounts is not null;
$$;
