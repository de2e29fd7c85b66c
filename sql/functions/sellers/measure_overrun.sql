-- Returns by how much a seller's accounts exceed its plan: accounts, disk and websites in total;
-- memory and CPU summed over the accounts with more than one may have. With an account and a
-- package: as if that account had that package. Null without a plan. Internal: the callers hold the
-- seller's row lock, so that two requests cannot both take the last slot.
--
-- Always counted from rows, including creates and package changes in progress.
create or replace function panel.measure_overrun(
  p_seller_id bigint,
  p_account_id bigint default null,
  p_package_id bigint default null
)
returns panel.plan_overrun
language sql stable
as $$
  select
    greatest(u.accounts - s.max_accounts, 0),
    greatest(u.disk_mb - s.disk_mb, 0),
    greatest(u.max_sites - s.max_sites, 0),
    u.memory_mb,
    u.cpu_percent
  from sellers s
  cross join lateral (
    with own as (
      select a.id, a.package_id
      from accounts a
      where a.seller_id = s.id and a.state <> 'terminated'
    ), counted as (
      select id, package_id from own
      union
      -- Packages that a change in progress leads to, or back to if it fails.
      select own.id, concerned.package_id::bigint
      from own
      join operations o on o.lane = own.id and o.state in ('blocked', 'queued', 'running')
      cross join lateral unnest(array[o.params ->> 'package_id', o.before ->> 'package_id'])
        as concerned (package_id)
      union
      select p_account_id, p_package_id
    ), largest as (
      select c.id, max(p.disk_mb) as disk_mb,
        -- A smaller package deletes no website.
        greatest(max(p.max_sites), (select count(*) from sites s where s.account_id = c.id))
          as max_sites,
        max(p.memory_mb) as memory_mb, max(p.cpu_percent) as cpu_percent
      from counted c
      join packages p on p.id = c.package_id
      group by c.id
    )
    select count(*) as accounts,
      coalesce(sum(l.disk_mb), 0) as disk_mb,
      coalesce(sum(l.max_sites), 0) as max_sites,
      coalesce(sum(greatest(l.memory_mb - s.memory_mb, 0)), 0) as memory_mb,
      coalesce(sum(greatest(l.cpu_percent - s.cpu_percent, 0)), 0) as cpu_percent
    from largest l
  ) u
  where s.id = p_seller_id and s.max_accounts is not null;
$$;
