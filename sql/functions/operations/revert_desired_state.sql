-- Restores what an operation had found when it was started, of whatever it is about; once it is
-- over, also takes away the rows that were added for it.  Operations that end without a worker (a
-- cancel, a revocation, a restored backup) have no other way.  Internal: the callers hold the lane.
create or replace function panel.revert_desired_state(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  perform restore_resources(p_id, p_is_over);
  perform restore_account(p_id, p_is_over);
end;
$$;
