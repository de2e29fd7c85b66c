-- Ends, unrun and unstored, what waits in a lane for a token that has become void meanwhile: it was
-- revoked, has expired, or is of an older credential epoch.
-- Internal: the callers hold the lane.
create or replace function panel.fail_revoked(p_lane bigint)
returns void
language plpgsql volatile
as $$
declare
  v_id uuid;
begin
  for v_id in
    update operations
    set state = 'failed', epoch = epoch + 1, error = 'The token was revoked', wants = '{}',
      finished_at = now()
    where lane = p_lane and state = 'parked' and exists (
      select
      from tokens t
      join owners w on w.id = t.owner_id
      where t.id = operations.token_id
        and (t.revoked_at is not null or t.expires_at <= now()
          or t.credential_epoch <> w.credential_epoch))
    returning id
  loop
    perform restore_found(v_id, true);
    perform pg_notify('operation_finished', v_id::text);
  end loop;
end;
$$;
