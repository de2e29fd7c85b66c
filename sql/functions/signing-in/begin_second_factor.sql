-- Stores the secret of an owner's or account's second factor until a first code confirms it; it
-- replaces one that was never confirmed.  The next secret waits next to that of a confirmed one,
-- which it is to replace.  False if there is a confirmed one, or none for the next to replace.
create or replace function panel.begin_second_factor(
  p_operator_id bigint,
  p_account_id bigint,
  p_secret bytea,
  p_is_next boolean
)
returns boolean
language plpgsql volatile security definer
as $$
begin
  if p_is_next then
    update second_factors set next_secret = p_secret, next_begun_at = now()
    where (operator_id = p_operator_id or account_id = p_account_id) and confirmed_at is not null;
    return found;
  end if;

  insert into second_factors (operator_id, account_id, secret)
  values (p_operator_id, p_account_id, p_secret)
  on conflict do nothing;
  if not found then
    update second_factors set secret = p_secret, created_at = now()
    where (operator_id = p_operator_id or account_id = p_account_id) and confirmed_at is null;
  end if;
  return found;
end;
$$;
grant execute on function panel.begin_second_factor to panel_api;
