-- Ends, unrun and unstored, what waits in a lane for a token that has been revoked meanwhile.
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
    where lane = p_lane and state = 'parked' and is_token_void(token_id)
    returning id
  loop
    perform restore_found(v_id, true);
    perform pg_notify('operation_finished', v_id::text);
  end loop;
end;
$$;
