-- Makes wanted of an account what an operation had found when it was started.  Internal: the
-- callers hold the account's row.
create or replace function panel.restore_wanted(p_operation_id uuid)
returns void
language sql volatile
set search_path = panel, pg_temp
as $$
  update accounts a
  set wanted = o.found ->> 'wanted',
    suspend_reason = o.found ->> 'suspend_reason',
    suspended_by = o.found ->> 'suspended_by',
    package_id = (o.found ->> 'package_id')::bigint,
    password_hash = o.found ->> 'password_hash',
    is_applied = false
  from operations o
  where o.id = p_operation_id and a.id = o.account_id;
$$;

revoke execute on function panel.restore_wanted from public;
