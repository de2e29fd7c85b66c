-- Removes a second factor with its recovery codes, and returns how many valid tokens that voids.
-- Null if there was none, or only one that was never confirmed.
create or replace function panel.disable_second_factor(
  p_operator_id bigint,
  p_account_id bigint,
  p_session_id bigint
)
returns integer
language plpgsql volatile security definer
as $$
declare
  v_was_on boolean;
begin
  delete from second_factors where operator_id = p_operator_id or account_id = p_account_id
  returning confirmed_at is not null into v_was_on;
  if v_was_on then
    return raise_credential_epoch(p_operator_id, p_account_id, p_session_id);
  end if;
  return null;
end;
$$;
grant execute on function panel.disable_second_factor to panel_api;
