-- Begins an operation that makes the machine agree with an account's rows again, as after a
-- restore; one that waits already does that when its turn comes.  Returns the operation, or nothing
-- where the account is coming, going or gone.
create or replace function panel.rebuild_account(p_account_id bigint)
returns uuid
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_username text;
  v_id       uuid;
begin
  select a.username into v_username
  from accounts a
  where a.id = p_account_id and a.state in ('active', 'suspended')
  for no key update;
  if v_username is null then
    return null;
  end if;
  select o.id into v_id
  from operations o
  where o.account_id = p_account_id and o.name = 'account/apply'
    and o.state in ('parked', 'queued')
  limit 1;
  if v_id is null then
    perform begin_internal(p_account_id, v_username, 'account/apply');
    select o.id into v_id
    from operations o
    where o.account_id = p_account_id and o.name = 'account/apply'
      and o.state in ('parked', 'queued')
    limit 1;
  end if;
  return v_id;
end;
$$;

revoke execute on function panel.rebuild_account from public;
