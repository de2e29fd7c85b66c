-- Records the end of a run and what was found in its repository, in one transaction with the event.
-- Returns false, having changed nothing, if a later start has taken over or the backup has ended.
create or replace function panel.finish_account_backup(
  p_id bigint,
  p_epoch integer,
  -- Null if it has failed.
  p_result jsonb,
  -- Why it has failed; null if it has not.
  p_error text,
  -- Null after a failure.
  p_event bytea,
  p_has_scripts boolean,
  -- The compressed list of its files; null after a failure.
  p_list bytea
)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_backup account_backups%rowtype;
begin
  update account_backups b
  set state = case when p_result is null then 'failed' else 'done' end,
    finished_at = now(),
    snapshot = p_result ->> 'snapshot',
    bytes_read = (p_result ->> 'bytesRead')::bigint,
    bytes_added = (p_result ->> 'bytesAdded')::bigint,
    files = (p_result ->> 'files')::integer,
    duration_ms = (p_result ->> 'durationMs')::bigint,
    warnings = coalesce(p_result -> 'warnings', '[]'),
    error = case when p_result is null then left(coalesce(p_error, 'It failed'), 1000) end
  where b.id = p_id and b.epoch = p_epoch and b.state = 'running'
  returning b.* into v_backup;
  if not found then
    return false;
  end if;
  insert into history (channel, who, action, about, subject, account_id, seller_id, outcome)
  select 'panel', 'panel', 'backup/run', v_backup.username, v_backup.id::text, a.id,
    a.seller_id, case when p_result is null then 'failed' else 'done' end
  from (select) one left join accounts a on a.id = v_backup.account_id;
  if p_result is not null then
    -- After a failure it stays marked: restic may have written a snapshot.
    update backup_repositories set is_dirty = false, is_created = true
    where id = v_backup.repository_id;
    insert into backup_lists (backup_id, contents, list)
    values (p_id, p_result -> 'contents', p_list);
    perform emit('backup.completed', v_backup.account_id, null, p_event, p_has_scripts);
  end if;
  return true;
end;
$$;
grant execute on function panel.finish_account_backup to panel_worker;
