-- Voids an owner's tokens and sessions, and returns how many valid tokens there were.
create or replace function panel.raise_credential_epoch(p_owner_id bigint)
returns integer
language plpgsql volatile
as $$
declare
  v_epoch  integer;
  v_voided integer;
begin
  update owners set credential_epoch = credential_epoch + 1 where id = p_owner_id
  returning credential_epoch into v_epoch;
  select count(*) into v_voided
  from tokens
  where owner_id = p_owner_id and credential_epoch = v_epoch - 1
    and revoked_at is null and (expires_at is null or expires_at > clock_timestamp());
  return v_voided;
end;
$$;
