-- Writes the desired state of a started operation to its account. Returns the account for the
-- worker; `error` is why the desired state is impossible, if a row asks for something that the
-- schema forbids, and `isSuspendedByAdmin` that an administrator's suspension forbids it. An
-- operation that is being undone changes nothing any more.
create or replace function panel.write_desired_account(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
  v_error     text;
  v_is_suspended_by_admin   boolean;
begin
  select * into v_operation from operations where id = p_id;
  -- Few are suspended by an administrator: the others need no further check.
  v_is_suspended_by_admin := coalesce(v_operation.before ->> 'suspended_by', '') = 'administrator'
    and is_suspended_by_admin(p_id);
  if v_operation.state = 'running' and v_operation.params <> '{}'
    and v_is_suspended_by_admin is not true
  then
    begin
      update accounts a
      set desired = coalesce(w.desired, a.desired),
        -- A repeated suspension keeps the first reason, except that an administrator takes over a
        -- reseller's suspension.
        (suspend_reason, suspended_by) = (
          select case when is_new then w.suspend_reason else a.suspend_reason end,
            case when is_new then w.suspended_by else a.suspended_by end
          from (select a.desired <> w.desired
            or (a.suspended_by, w.suspended_by) = ('reseller', 'administrator')) s (is_new)),
        -- Until the operation ends, the account is shown in its actual state. Taking over a
        -- suspension is answered at once.
        suspension_before = case
          when a.state = 'suspended' and not (a.is_applied and a.desired = w.desired)
          then coalesce(
            a.suspension_before,
            jsonb_build_object('reason', a.suspend_reason, 'by', a.suspended_by))
          else a.suspension_before
        end,
        package_id = coalesce(w.package_id, a.package_id),
        password_hash = coalesce(w.password_hash, a.password_hash),
        sign_in_hash = coalesce(w.sign_in_hash, a.sign_in_hash),
        -- A terminate only goes forward: from its start the account is terminating.
        state = case w.desired when 'terminated' then 'terminating' else a.state end,
        -- The machine does not depend on who suspended it.
        is_applied = a.is_applied and a.desired is not distinct from w.desired
      from jsonb_to_record(v_operation.params) as w (
        desired text, suspend_reason text, suspended_by text, package_id bigint, password_hash text,
        sign_in_hash text)
      where a.id = v_operation.account_id and a.state <> 'terminated'
        -- There is nothing to do if the machine already agrees with exactly this.
        and (a.desired is distinct from w.desired or not a.is_applied
          or (a.suspended_by, w.suspended_by) = ('reseller', 'administrator'));
    exception when integrity_constraint_violation or data_exception then
      -- It can never be written: the start counts, and the worker fails the operation.
      v_error := sqlerrm;
    end;
  end if;

  return json_build_object(
    'account', (select r.record from account_record(v_operation.account_id) r),
    'passwordHash', (
      select a.password_hash from accounts a where a.id = v_operation.account_id),
    -- A suspension does not wait for services that are down.
    'parts', secret_parts(v_operation.account_id, v_operation.name = 'account/suspend'),
    'isSuspendedByAdmin', v_is_suspended_by_admin is true,
    'wasApplied', coalesce((v_operation.before ->> 'is_applied')::boolean, false),
    'error', v_error);
end;
$$;
grant execute on function panel.write_desired_account to panel_worker;
