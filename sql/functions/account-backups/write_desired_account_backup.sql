-- Records the backup of a started operation, once, and returns it with its account for the worker:
-- none while another one of the account is unfinished.
create or replace function panel.write_desired_account_backup(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
  v_backup_id bigint;
begin
  select * into v_operation from operations where id = p_id;
  if v_operation.state = 'running' then
    insert into account_backups (account_id, username, operation_id)
    select a.id, a.username, p_id from accounts a
    where a.id = v_operation.account_id and a.state <> 'terminated'
      and not exists (
        select from account_backups b
        where b.account_id = a.id and b.state in ('preparing', 'ready', 'running'))
    on conflict (operation_id) do nothing;
  end if;
  select id into v_backup_id from account_backups where operation_id = p_id;
  return write_desired_account(p_id)::jsonb || jsonb_build_object(
    'backupId', v_backup_id::text,
    'targetId', (select t.id::text from backup_targets t where t.is_default),
    'repositoryId', (
      select r.id::text
      from backup_repositories r
      join backup_targets t on t.id = r.target_id and t.is_default
      where r.account_id = v_operation.account_id));
end;
$$;
grant execute on function panel.write_desired_account_backup to panel_worker;
