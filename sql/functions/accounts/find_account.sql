-- Returns the state of an account for an operation that starts, for its undo: nothing if the
-- account is gone. Null if the operation may not start yet; once it may, no other operation changes
-- the account.
create or replace function panel.find_account(p_id uuid)
returns jsonb
language plpgsql stable strict security definer
as $$
begin
  return (
    select case
      when a.id is null then '{}'
      else jsonb_build_object(
        'account_id', a.id,
        'desired', a.desired,
        'suspend_reason', a.suspend_reason,
        'suspended_by', a.suspended_by,
        'package_id', a.package_id,
        'password_hash', a.password_hash,
        'sign_in_hash', a.sign_in_hash,
        'is_applied', a.is_applied)
    end
    from operations o
    left join accounts a on a.id = o.account_id
    where o.id = p_id and o.state in ('queued', 'running', 'undoing'));
end;
$$;
grant execute on function panel.find_account to panel_worker;
