-- Returns the package of an account, and those that a change in progress leads to: the smallest
-- limit of them applies. Internal: the callers hold the lane lock.
create or replace function panel.packages_of(p_account_id bigint)
returns setof panel.packages
language sql stable
as $$
  select p.*
  from packages p
  where p.id::text in (
    select a.package_id::text from accounts a where a.id = p_account_id
    union
    select o.params ->> 'package_id' from operations o
    where o.lane = p_account_id and o.state in ('blocked', 'queued', 'running'));
$$;
