-- Voids the tokens and sessions of an owner, or the sessions of an account, but for the session
-- that has asked for the change; returns how many valid tokens there were.  Internal.
create or replace function panel.raise_credential_epoch(
  p_operator_id bigint,
  p_account_id bigint default null,
  -- Null if root, or a caller without a session, makes the change.
  p_session_id bigint default null
)
returns integer
language plpgsql volatile
as $$
declare
  v_epoch  integer;
  v_voided integer;
begin
  if p_operator_id is not null then
    update operators set credential_epoch = credential_epoch + 1 where id = p_operator_id
    returning credential_epoch into v_epoch;
  else
    update accounts set sign_on_epoch = sign_on_epoch + 1 where id = p_account_id
    returning sign_on_epoch into v_epoch;
  end if;
  update sessions set epoch = v_epoch
  where id = p_session_id and epoch = v_epoch - 1
    and (operator_id = p_operator_id or account_id = p_account_id);
  select count(*) into v_voided
  from tokens
  where operator_id = p_operator_id and credential_epoch = v_epoch - 1
    and revoked_at is null and (expires_at is null or expires_at > clock_timestamp());
  return v_voided;
end;
$$;
