-- Ends a session and what was opened from it, if it has not ended, for the session that asks: its
-- own is signed out, and what it has asked for goes on; another one is revoked, and what waits for
-- it is not executed.  False where it has ended already.
create or replace function panel.end_session(p_id bigint, p_by bigint, p_address inet)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_is_own boolean := p_id = p_by;
  -- The user of the session, if that is another one.
  v_about  text := (
    select coalesce(o.name, a.username)
    from sessions s
    join sessions own on own.id = p_by
    left join operators o on o.id = s.operator_id
    left join accounts a on a.id = s.account_id
    where s.id = p_id
      and (s.operator_id, s.account_id) is distinct from (own.operator_id, own.account_id));
begin
  update sessions
  set expires_at = case when v_is_own then now() else expires_at end,
    revoked_at = case when not v_is_own then now() end
  where id = p_id and expires_at > now() and revoked_at is null;
  if not found then
    return false;
  end if;
  perform note_history(
    'session:' || p_by, p_address,
    case when v_is_own then 'session/end' else 'session/revoke' end, v_about);
  return true;
end;
$$;
grant execute on function panel.end_session to panel_api;
