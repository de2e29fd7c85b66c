-- Stores the secret of an owner's or account's second factor until a first code confirms it; it
-- replaces one that was never confirmed.  False if there is one, which has to be disabled before.
create or replace function panel.begin_second_factor(
  p_owner_id bigint,
  p_account_id bigint,
  p_secret bytea
)
returns boolean
language plpgsql volatile security definer
as $$
begin
  if p_owner_id is not null then
    insert into second_factors as f (owner_id, secret) values (p_owner_id, p_secret)
    on conflict (owner_id) do update set secret = excluded.secret, created_at = now()
    where f.confirmed_at is null;
  else
    insert into second_factors as f (account_id, secret) values (p_account_id, p_secret)
    on conflict (account_id) do update set secret = excluded.secret, created_at = now()
    where f.confirmed_at is null;
  end if;
  return found;
end;
$$;
grant execute on function panel.begin_second_factor to panel_api;
