-- Records that the backup of an operation which has ended cannot be made. Internal.
create or replace function panel.fail_unprepared_backup(p_id uuid)
returns void
language sql volatile
as $$
  update account_backups b
  set state = 'failed', finished_at = now(), error = left(coalesce(
    (select nullif(o.error, '') from operations o where o.id = p_id),
    'It was not started'), 1000)
  where b.operation_id = p_id and b.state = 'preparing';
$$;
