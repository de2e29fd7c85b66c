-- Ends, without running or storing them, requests in a lane whose token or session has become void
-- meanwhile: it was revoked, the token has expired, or it is of an older epoch. Internal: the
-- callers hold the lane lock.
create or replace function panel.fail_revoked(p_lane bigint)
returns void
language plpgsql volatile
as $$
declare
  v_id uuid;
begin
  for v_id in
    update operations
    set state = 'failed', epoch = epoch + 1, params = '{}', finished_at = now(),
      error = case
        when session_id is null then 'The token was revoked'
        else 'The session was ended'
      end
    where lane = p_lane and state = 'blocked' and (is_session_void(session_id) or exists (
      select
      from tokens t
      join operators w on w.id = t.operator_id
      where t.id = operations.token_id
        and (t.revoked_at is not null or t.expires_at <= now()
          or t.credential_epoch <> w.credential_epoch)))
    returning id
  loop
    perform revert_desired_state(v_id, true);
    perform notify_finished(v_id);
  end loop;
end;
$$;
