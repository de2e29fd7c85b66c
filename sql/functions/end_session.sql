-- Ends a session and what was opened from it, if it has not ended: signed out, what it has asked
-- for goes on; revoked, what waits is not carried out.  False where it has ended already.
create or replace function panel.end_session(p_id bigint, p_is_revoked boolean)
returns boolean
language plpgsql volatile security definer
as $$
begin
  update sessions
  set expires_at = case when p_is_revoked then expires_at else now() end,
    revoked_at = case when p_is_revoked then now() end
  where id = p_id and expires_at > now() and revoked_at is null;
  return found;
end;
$$;
grant execute on function panel.end_session to panel_api;
