-- Completes the rows of an account's databases when an operation has ended: the machine agrees with
-- them, and nothing remains of a deleted account. If changes in MariaDB were deferred, the account
-- is applied again as soon as possible. Internal: complete_resources calls it.
create or replace function panel.complete_databases(
  p_id uuid,
  p_account_id bigint,
  p_is_terminated boolean,
  p_may_wait boolean
)
returns void
language plpgsql volatile
as $$
begin
  -- For most accounts no row changes.
  if not exists (select from databases where account_id = p_account_id)
    and not exists (select from database_users where account_id = p_account_id) then
    return;
  elsif p_may_wait then
    if exists (select from databases where account_id = p_account_id and desired = 'absent')
      or exists (
        select from database_users
        where account_id = p_account_id
          and (desired = 'absent' or not is_set and desired = 'present'))
    then
      update accounts set apply_due_at = now(), is_applied = false where id = p_account_id;
    end if;
    return;
  end if;
  update databases set added_by = null where added_by = p_id and desired = 'present';
  update database_users
  set added_by = null, is_set = true
  where account_id = p_account_id and desired = 'present' and (added_by = p_id or not is_set);
  delete from database_users
  where account_id = p_account_id and (desired = 'absent' or p_is_terminated);
  delete from databases
  where account_id = p_account_id and (desired = 'absent' or p_is_terminated);
end;
$$;
