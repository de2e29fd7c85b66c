-- Writes down of an account's databases what the end of an operation tells: the machine agrees with
-- them, and nothing is left of an account that is gone.  Internal: settle_account calls it.
create or replace function panel.settle_databases(
  p_id uuid,
  p_account_id bigint,
  p_is_terminated boolean
)
returns void
language plpgsql volatile
as $$
begin
  -- Most accounts have none that changes.
  if not exists (select from databases where account_id = p_account_id)
    and not exists (select from database_users where account_id = p_account_id) then
    return;
  end if;
  update databases set added_by = null where added_by = p_id and wanted = 'present';
  update database_users
  set added_by = null, is_set = true
  where account_id = p_account_id and wanted = 'present' and (added_by = p_id or not is_set);
  delete from database_users
  where account_id = p_account_id and (wanted = 'absent' or p_is_terminated);
  delete from databases
  where account_id = p_account_id and (wanted = 'absent' or p_is_terminated);
end;
$$;
