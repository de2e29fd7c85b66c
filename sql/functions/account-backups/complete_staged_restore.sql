-- Records at the end of an operation that a restore is done; an operation that was undone has
-- failed.
create or replace function panel.complete_staged_restore(p_id uuid, p_change jsonb)
returns void
language plpgsql volatile strict security definer
as $$
begin
  perform complete_account(p_id, p_change);
  if p_change ? 'restore' then
    update account_restores
    set state = 'done', finished_at = now(), rows = null,
      warnings = p_change #> '{restore,warnings}'
    where id = (p_change #>> '{restore,id}')::bigint and state = 'staged';
  else
    perform fail_staged_restore(p_id);
  end if;
  -- It removes what is staged no longer.
  perform wake_backup_run();
end;
$$;
grant execute on function panel.complete_staged_restore to panel_worker;
