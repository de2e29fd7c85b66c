-- Makes the values desired again that an operation found. A finished create leaves no row;
-- operations blocked behind it find no account and are answered so, each without a lane. Internal:
-- revert_desired_state calls it.
create or replace function panel.restore_account(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
declare
  v_operation operations%rowtype;
  v_orphan    uuid;
begin
  select * into v_operation from operations where id = p_id;
  if not p_is_over and v_operation.before ? 'desired' then
    begin
      update accounts a
      set desired = f.desired, suspend_reason = f.suspend_reason, suspended_by = f.suspended_by,
        suspension_before = null, package_id = f.package_id, password_hash = f.password_hash,
        sign_in_hash = f.sign_in_hash, is_applied = false
      from jsonb_to_record(v_operation.before) as f (
        desired text, suspend_reason text, suspended_by text, package_id bigint, password_hash text,
        sign_in_hash text)
      -- The key may have begun another operation since it was found.
      where a.id = v_operation.account_id
        and a.id::text = coalesce(v_operation.before ->> 'account_id', a.id::text);
    exception when integrity_constraint_violation or data_exception then
      -- The former values are no longer possible: the account stays the same, to be applied again.
      update accounts set is_applied = false where id = v_operation.account_id;
    end;
  elsif p_is_over and v_operation.name = 'account/create' and exists (
    select from accounts where id = v_operation.account_id and state = 'provisioning'
  ) and (v_operation.started_at is not null or not exists (
    -- Begun outside the API before the create: the machine may have something of it.
    select from operations
    where account_id = v_operation.account_id and id <> p_id and started_at is not null)
  ) then
    perform fail_revoked(v_operation.account_id);
    for v_orphan in
      update operations set account_id = null
      where account_id = v_operation.account_id and state = 'blocked'
      returning id
    loop
      perform enqueue_operation(v_orphan);
    end loop;
    delete from accounts where id = v_operation.account_id;
  end if;
end;
$$;
