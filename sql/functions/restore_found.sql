-- Makes wanted again what an operation had found when it was started, of whatever it is about; once
-- it is over, also takes away the rows that were added for it.  The list of all nouns whose rows
-- operations change: what ends without a worker (a cancel, a revocation, a restored backup) has no
-- other.  Each leaves what is not the operation's alone.  Internal: the callers hold the lane.
create or replace function panel.restore_found(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  perform restore_site(p_id, p_is_over);
  perform restore_sftp_key(p_id, p_is_over);
  perform restore_database(p_id, p_is_over);
  perform restore_account(p_id, p_is_over);
end;
$$;
