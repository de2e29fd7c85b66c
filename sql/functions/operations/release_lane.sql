-- Lets go of the lane of an operation that has come to nothing: the rows that were added for it go,
-- the next blocked operation has its turn, and whoever waits is told.  Internal: the callers hold
-- the lane and have ended the operation.
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
