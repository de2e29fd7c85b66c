-- Enables a second factor, or puts its next secret in place of the one before, after a code of this
-- time step has confirmed that secret; stores the recovery codes, and returns how many valid tokens
-- that voids.  Null if this secret does not wait for its confirmation, as for the second of two at
-- once.
create or replace function panel.confirm_second_factor(
  p_operator_id bigint,
  p_account_id bigint,
  p_secret bytea,
  p_step bigint,
  p_recovery_hashes bytea[],
  p_session_id bigint
)
returns integer
language plpgsql volatile security definer
as $$
begin
  update second_factors
  set secret = p_secret, next_secret = null, next_begun_at = null, confirmed_at = now(),
    last_step = p_step, failures = 0, tried_at = null
  where (operator_id = p_operator_id or account_id = p_account_id)
    and (next_secret = p_secret or secret = p_secret and confirmed_at is null);
  if not found then
    return null;
  end if;
  return replace_recovery_codes(p_operator_id, p_account_id, p_recovery_hashes, p_session_id);
end;
$$;
grant execute on function panel.confirm_second_factor to panel_api;
