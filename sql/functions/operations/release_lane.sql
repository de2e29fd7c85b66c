-- Releases the lane of an operation that has failed: the rows that were added for it are deleted,
-- the next blocked operation has its turn, and waiting callers are notified. Internal: the callers
-- hold the lane lock and have ended the operation.
create or replace function panel.release_lane(p_id uuid, p_lane bigint)
returns void
language plpgsql volatile
as $$
begin
  perform revert_desired_state(p_id, true);
  perform promote_blocked(p_lane);
  perform notify_finished(p_id);
end;
$$;
