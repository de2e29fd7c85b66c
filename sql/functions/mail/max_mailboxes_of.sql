-- Returns the number of mailboxes an account may have: the smallest of the packages that it has, or
-- that a change in progress leads to. Internal: the callers hold the lane lock.
create or replace function panel.max_mailboxes_of(p_account_id bigint)
returns integer
language sql stable
as $$
  select min(p.max_mailboxes)
  from packages p
  where p.id::text in (
    select a.package_id::text from accounts a where a.id = p_account_id
    union
    select o.params ->> 'package_id' from operations o
    where o.lane = p_account_id and o.state in ('blocked', 'queued', 'running'));
$$;
