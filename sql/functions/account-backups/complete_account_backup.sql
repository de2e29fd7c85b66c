-- Records at the end of an operation that the databases of an account are dumped, and wakes the run
-- that reads the files. An operation that was undone has failed.
create or replace function panel.complete_account_backup(p_id uuid, p_change jsonb)
returns void
language plpgsql volatile strict security definer
as $$
begin
  perform complete_account(p_id, p_change);
  if p_change ? 'backup' then
    update account_backups b
    set state = 'ready', repository_id = (p_change #>> '{backup,repository_id}')::bigint,
      dumps = array(select jsonb_array_elements_text(p_change #> '{backup,dumps}'))
    where b.operation_id = p_id and b.state = 'preparing';
    perform wake_backup_run();
  else
    perform fail_unprepared_backup(p_id);
  end if;
end;
$$;
grant execute on function panel.complete_account_backup to panel_worker;
