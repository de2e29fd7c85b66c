-- Starts, or after an interruption restarts, the reading of a restore once the backup before it has
-- ended: raises its epoch. Returns what the run needs; nothing if it is not due.
create or replace function panel.start_account_restore(p_id bigint)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_restore account_restores%rowtype;
begin
  update account_restores r
  set state = 'reading', epoch = r.epoch + 1
  where r.id = p_id and r.state in ('saving', 'reading') and not exists (
    select from account_backups b
    where b.id = r.safety_backup_id and b.state in ('preparing', 'ready', 'running'))
  returning r.* into v_restore;
  if not found then
    return null;
  end if;
  return json_build_object(
    'id', v_restore.id::text, 'epoch', v_restore.epoch, 'username', v_restore.username,
    'uid', (select a.uid from accounts a where a.id = v_restore.account_id),
    'items', v_restore.items, 'keepsReplaced', v_restore.keeps_replaced,
    'snapshot', v_restore.snapshot,
    -- Null if the backup before it is done.
    'unsaved', case when not exists (
        select from account_backups b where b.id = v_restore.safety_backup_id and b.state = 'done')
      then coalesce(
        (select b.error from account_backups b where b.id = v_restore.safety_backup_id),
        'it is gone')
      end,
    'repository', backup_repository(v_restore.repository_id));
end;
$$;
grant execute on function panel.start_account_restore to panel_worker;
