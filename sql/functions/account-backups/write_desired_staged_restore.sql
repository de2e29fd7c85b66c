-- Returns the staged restore of an account, with the account, to an operation that completes it,
-- and adds databases and mailboxes that the account has no longer.
create or replace function panel.write_desired_staged_restore(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
  v_restore   account_restores%rowtype;
  v_has_added boolean := false;
begin
  select * into v_operation from operations where id = p_id;
  select * into v_restore from account_restores
  where account_id = v_operation.account_id and state = 'staged';
  if v_operation.state = 'running' and not is_suspended_by_admin(p_id) then
    v_has_added := recreate_restored(p_id, v_operation.account_id, v_restore.rows);
  end if;
  return write_desired_account(p_id)::jsonb || jsonb_build_object('restore', case
    when v_restore.id is not null then jsonb_build_object(
      'id', v_restore.id::text, 'staged', v_restore.staged, 'warnings', v_restore.warnings,
      'hasRecreated', v_has_added)
    end);
end;
$$;
grant execute on function panel.write_desired_staged_restore to panel_worker;
