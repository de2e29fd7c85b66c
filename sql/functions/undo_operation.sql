-- Commits that an operation has failed and that its undo begins: what is wanted of the account
-- becomes what the operation had found.  The key is held until the undo has been released.
-- Returns the account to undo for, or no row where a later start has taken over.
create or replace function panel.undo_operation(p_id uuid, p_epoch integer, p_error text)
returns setof jsonb
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_account_id bigint;
begin
  select account_id into v_account_id from operations where id = p_id;
  perform from accounts where id = v_account_id for no key update;

  update operations set state = 'undoing', error = p_error
  where id = p_id and epoch = p_epoch and state in ('running', 'undoing');
  if not found then
    return;
  end if;

  update accounts a
  set wanted = o.found ->> 'wanted',
    suspend_reason = o.found ->> 'suspend_reason',
    suspended_by = o.found ->> 'suspended_by',
    is_applied = false
  from operations o
  where o.id = p_id and a.id = v_account_id;

  return next account_record(v_account_id);
end;
$$;

revoke execute on function panel.undo_operation from public;
grant execute on function panel.undo_operation to panel_worker;
