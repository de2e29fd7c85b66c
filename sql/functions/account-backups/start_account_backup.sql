-- Starts, or after an interruption restarts, the run of a backup whose databases are dumped: raises
-- its epoch and marks its repository. Returns what the run needs; nothing if it is not due.
create or replace function panel.start_account_backup(p_id bigint)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_backup     account_backups%rowtype;
  v_was_dirty  boolean;
begin
  update account_backups b
  set state = 'running', epoch = b.epoch + 1, started_at = coalesce(b.started_at, now())
  where b.id = p_id and b.state in ('ready', 'running')
  returning b.* into v_backup;
  if not found then
    return null;
  end if;
  select is_dirty into v_was_dirty
  from backup_repositories where id = v_backup.repository_id for no key update;
  update backup_repositories set is_dirty = true where id = v_backup.repository_id;
  return json_build_object(
    'id', v_backup.id::text, 'operationId', v_backup.operation_id, 'epoch', v_backup.epoch,
    'username', v_backup.username,
    'uid', (select a.uid from accounts a where a.id = v_backup.account_id),
    'dumps', v_backup.dumps,
    'isDirty', v_was_dirty,
    'repository', backup_repository(v_backup.repository_id));
end;
$$;
grant execute on function panel.start_account_backup to panel_worker;
