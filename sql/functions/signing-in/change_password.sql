-- Replaces an owner's password and returns how many valid tokens that voids; null if there is no
-- such owner.
create or replace function panel.change_password(
  p_name text,
  p_hash text,
  -- The owner's own session, which stays.
  p_session_id bigint
)
returns integer
language plpgsql volatile security definer
as $$
declare
  v_id bigint;
begin
  update operators set password_hash = p_hash where name = p_name returning id into v_id;
  if v_id is null then
    return null;
  end if;
  return raise_credential_epoch(v_id, null, p_session_id);
end;
$$;
grant execute on function panel.change_password to panel_api;
