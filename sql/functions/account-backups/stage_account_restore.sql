-- Records that the content of a restore is staged, and begins the operation that brings it into the
-- account; or why it has failed. Returns false, having changed nothing, if a later start has taken
-- over or the restore has ended.
create or replace function panel.stage_account_restore(
  p_id bigint,
  p_epoch integer,
  -- Null if it has failed.
  p_result jsonb,
  p_error text
)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_account_id bigint := (select account_id from account_restores where id = p_id);
begin
  perform lock_lane(v_account_id);
  perform from account_restores
  where id = p_id and epoch = p_epoch and state = 'reading' for no key update;
  if not found then
    return false;
  end if;
  if p_result is null then
    perform fail_account_restore(p_id, p_error);
    return true;
  end if;
  update account_restores
  set state = 'staged', staged = p_result -> 'staged', rows = p_result -> 'rows',
    bytes = (p_result ->> 'bytes')::bigint,
    files = (p_result ->> 'files')::integer,
    warnings = p_result -> 'warnings'
  where id = p_id;
  perform begin_internal(v_account_id, 'backup/finish-restore');
  return true;
end;
$$;
grant execute on function panel.stage_account_restore to panel_worker;
