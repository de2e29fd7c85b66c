-- Records that the backup of an operation which has ended cannot be made, nor the restore that it
-- was to begin. Internal.
create or replace function panel.fail_unprepared_backup(p_id uuid)
returns void
language plpgsql volatile
as $$
declare
  v_error text := left(coalesce(
    (select nullif(o.error, '') from operations o where o.id = p_id), 'It was not started'), 1000);
begin
  update account_backups b
  set state = 'failed', finished_at = now(), error = v_error
  where b.operation_id = p_id and b.state = 'preparing';
  perform fail_account_restore(r.id, v_error) from account_restores r
  where r.operation_id = p_id;
end;
$$;
