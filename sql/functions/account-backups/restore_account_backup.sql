-- Ends the backup or the restore of an operation that is over without having completed it: it was
-- cancelled, or its worker was lost. Internal: restore_resources calls it.
create or replace function panel.restore_account_backup(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  if p_is_over then
    perform fail_unprepared_backup(p_id);
    perform fail_staged_restore(p_id);
  end if;
end;
$$;
