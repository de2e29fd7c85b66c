-- Records the result of an operation that has just ended on its account. Done, `p_change` has the
-- new `state`, the `warnings` and the moment `changed_at` when the machine agreed. Undone, it has
-- `is_undone`: whether the machine is known to agree with the account again; if not, it is applied
-- automatically (sweep_unapplied).
create or replace function panel.complete_account(p_id uuid, p_change jsonb)
returns void
language plpgsql volatile strict security definer
as $$
declare
  v_account_id bigint;
  v_name       text;
  v_state      text := p_change ->> 'state';
  v_changed_at timestamptz := p_change ->> 'changed_at';
  v_is_applied boolean := coalesce((p_change ->> 'is_undone')::boolean, true);
  v_warning    constant jsonb := jsonb_build_object(
    'code', 'half_undone',
    'sentence', 'The last change could not be undone completely: it is tried again until it is');
begin
  select account_id, name into v_account_id, v_name from operations where id = p_id;
  if v_state is null then
    update accounts
    set is_applied = v_is_applied,
      suspension_before = null,
      warnings = jsonb_path_query_array(warnings, '$[*] ? (@.code != "half_undone")')
        || case when v_is_applied then '[]' else jsonb_build_array(v_warning) end,
      unapplied_since = case when not v_is_applied then coalesce(unapplied_since, now()) end,
      -- After a pause as long as it has taken so far, as for deferred operations.
      apply_due_at = case when not v_is_applied then now()
        + least(greatest(now() - unapplied_since, interval '2 seconds'), interval '1 minute') end
    where id = v_account_id;
    if v_is_applied then
      perform complete_resources(null, v_account_id, false, false);
    end if;
    return;
  end if;

  update accounts
  set state = v_state,
    warnings = p_change -> 'warnings',
    is_applied = true,
    -- Signs out all sessions from before.
    sign_on_epoch = sign_on_epoch
      + case when v_state <> 'active' or v_name = 'account/set-password' then 1 else 0 end,
    unapplied_since = null,
    apply_due_at = null,
    suspended_at = case
      when v_state <> 'suspended' then null
      when state = 'suspended' then suspended_at
      else v_changed_at
    end,
    suspend_reason = case v_state when 'suspended' then suspend_reason end,
    suspended_by = case v_state when 'suspended' then suspended_by end,
    suspension_before = null,
    terminated_at = case v_state when 'terminated' then v_changed_at end
  where id = v_account_id;
  -- Except the session that requested the new password.
  if v_name = 'account/set-password' then
    update sessions s set epoch = a.sign_on_epoch
    from operations o, accounts a
    where o.id = p_id and s.id = o.session_id and a.id = v_account_id
      and s.account_id = a.id and s.epoch = a.sign_on_epoch - 1;
  end if;
  -- The names of deleted websites are free at once, like a terminated account's own. A suspension
  -- may not have reached all services.
  perform complete_resources(
    p_id, v_account_id, v_state = 'terminated', v_name = 'account/suspend');
  if v_state = 'active' then
    perform request_certificates(v_account_id);
  end if;
end;
$$;
grant execute on function panel.complete_account to panel_worker;
