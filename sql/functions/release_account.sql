-- Lets go of an account whose operation has come to nothing.  One that was to be created leaves no
-- row, and what was parked behind its create finds none and is answered so, each in a lane of its
-- own; any other gives its next parked operation the turn.  Internal: the callers hold the
-- account's row and have ended the operation.
create or replace function panel.release_account(p_account_id bigint)
returns void
language plpgsql volatile
set search_path = panel, pg_temp
as $$
declare
  v_orphan uuid;
begin
  if not exists (select from accounts where id = p_account_id and state = 'provisioning') then
    perform promote_parked(p_account_id);
    return;
  end if;

  perform fail_revoked(p_account_id);
  for v_orphan in
    update operations set account_id = null
    where account_id = p_account_id and state = 'parked'
    returning id
  loop
    perform enqueue_operation(v_orphan);
  end loop;
  delete from accounts where id = p_account_id;
end;
$$;

revoke execute on function panel.release_account from public;
