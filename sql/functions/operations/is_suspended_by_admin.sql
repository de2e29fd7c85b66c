-- Returns whether an operation that starts would lift an administrator's suspension, or delete what
-- it keeps, for another caller. Internal: the resource kinds call it before they write anything.
create or replace function panel.is_suspended_by_admin(p_id uuid)
returns boolean
language sql stable
as $$
  select exists (
    select
    from operations o
    join operation_names n on n.name = o.name
    join accounts a on a.id = o.account_id
    where o.id = p_id and o.state = 'running' and n.lifts
      and a.desired = 'suspended' and a.suspended_by = 'administrator'
      -- The panel itself has no role.
      and o.caller_role <> 'administrator');
$$;
