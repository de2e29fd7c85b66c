-- Ends the unfinished backups and restores of a terminated account. Internal: complete_resources
-- calls it.
create or replace function panel.complete_account_backups(
  p_id uuid, p_account_id bigint, p_is_terminated boolean, p_may_wait boolean)
returns void
language plpgsql volatile
as $$
begin
  if p_is_terminated then
    update account_backups
    set state = 'failed', finished_at = now(), error = 'The account was terminated'
    where account_id = p_account_id and state in ('preparing', 'ready', 'running');
    perform fail_account_restore(r.id, 'The account was terminated') from account_restores r
    where r.account_id = p_account_id;
  end if;
end;
$$;
