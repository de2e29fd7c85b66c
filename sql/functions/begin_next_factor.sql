-- Stores the secret that is to replace that of a confirmed second factor, until a first code
-- confirms it; it replaces one that was never confirmed.  False if there is nothing to replace.
create or replace function panel.begin_next_factor(
  p_owner_id bigint,
  p_account_id bigint,
  p_secret bytea
)
returns boolean
language plpgsql volatile security definer
as $$
begin
  update second_factors set next_secret = p_secret, next_begun_at = now()
  where (owner_id = p_owner_id or account_id = p_account_id) and confirmed_at is not null;
  return found;
end;
$$;
grant execute on function panel.begin_next_factor to panel_api;
