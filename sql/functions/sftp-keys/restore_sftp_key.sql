-- Has a public key be as it was before an operation: one that was added leaves the machine again,
-- and one that the machine has never seen its row at once.  Internal: revert_desired_state calls
-- it.
create or replace function panel.restore_sftp_key(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  if not p_is_over then
    -- What another operation has failed to add leaves whoever has failed to remove it.
    update sftp_keys k
    set desired = case when k.added_by is null then 'present' else 'absent' end
    from operations o
    where o.id = p_id and k.id::text = o.params ->> 'key_id' and k.account_id = o.account_id;
    return;
  end if;
  -- Of one that was taken over from an undone add the machine may still have something.
  update sftp_keys k
  set desired = 'absent'
  from accounts a
  where k.added_by = p_id and k.desired = 'reserved' and a.id = k.account_id and not a.is_applied;
  delete from sftp_keys where added_by = p_id and desired = 'reserved';
end;
$$;
