-- Deletes the rows of backups whose snapshots were removed from a repository. It stays marked: the
-- next run compares snapshots and rows.
create or replace function panel.finish_prune(p_repository_id bigint, p_removed text[])
returns void
language sql volatile strict security definer
as $$
  delete from account_backups
  where repository_id = p_repository_id and state = 'done' and snapshot = any (p_removed);
  -- Failures are kept as long.
  delete from account_backups
  where repository_id = p_repository_id and state = 'failed'
    and created_at < now() - interval '30 days';
$$;
grant execute on function panel.finish_prune to panel_worker;
