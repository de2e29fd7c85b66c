-- Replaces the recovery codes of a second factor and returns how many valid tokens that voids; null
-- if there is no second factor.
create or replace function panel.replace_recovery_codes(
  p_operator_id bigint,
  p_account_id bigint,
  p_hashes bytea[],
  p_session_id bigint
)
returns integer
language plpgsql volatile security definer
as $$
begin
  -- One replacement at a time; otherwise the codes of both would remain.
  perform from second_factors
  where (operator_id = p_operator_id or account_id = p_account_id) and confirmed_at is not null
  for no key update;
  if not found then
    return null;
  end if;
  delete from recovery_codes where operator_id = p_operator_id or account_id = p_account_id;
  insert into recovery_codes (operator_id, account_id, hash)
  select p_operator_id, p_account_id, unnest(p_hashes);
  return raise_credential_epoch(p_operator_id, p_account_id, p_session_id);
end;
$$;
grant execute on function panel.replace_recovery_codes to panel_api;
