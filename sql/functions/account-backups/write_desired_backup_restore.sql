-- Records the restore of a started operation, once, with the backup that is made before it, and
-- returns both with the account for the worker: none while another one is unfinished.
create or replace function panel.write_desired_backup_restore(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
  v_backup    jsonb := write_desired_account_backup(p_id);
begin
  select * into v_operation from operations where id = p_id;
  if v_operation.state = 'running' then
    insert into account_restores (
      account_id, username, backup_id, repository_id, snapshot, operation_id, safety_backup_id,
      items, keeps_replaced)
    select b.account_id, b.username, b.id, b.repository_id, b.snapshot, p_id,
      (v_backup ->> 'backupId')::bigint, v_operation.params -> 'items',
      (v_operation.params ->> 'keeps_replaced')::boolean
    from account_backups b
    where b.id = (v_operation.params ->> 'backup_id')::bigint
      and b.account_id = v_operation.account_id and b.state = 'done'
      and v_backup ->> 'backupId' is not null
    on conflict do nothing;
  end if;
  return v_backup || jsonb_build_object(
    'restoreId', (select r.id::text from account_restores r where r.operation_id = p_id));
end;
$$;
grant execute on function panel.write_desired_backup_restore to panel_worker;
