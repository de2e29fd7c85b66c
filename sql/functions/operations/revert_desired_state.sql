-- Restores the values that an operation found when it started, whatever it is about; once it is
-- over, also deletes the rows that were added for it. Operations that end without a worker (a
-- cancel, a revocation, a restored backup) use only this. Internal: the callers hold the lane lock.
create or replace function panel.revert_desired_state(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  perform restore_resources(p_id, p_is_over);
  perform restore_account(p_id, p_is_over);
end;
$$;
