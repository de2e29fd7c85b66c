-- Restores a public key to its state before an operation: an added one is deleted from the machine,
-- and the row of one that never reached the machine is deleted at once. Internal:
-- revert_desired_state calls it.
create or replace function panel.restore_sftp_key(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  if not p_is_over then
    -- A key whose earlier add failed stays marked for removal, even if this removal fails too.
    update sftp_keys k
    set desired = case when k.added_by is null then 'present' else 'absent' end
    from operations o
    where o.id = p_id and k.id::text = o.params ->> 'key_id' and k.account_id = o.account_id;
    return;
  end if;
  -- The machine may still have something of a key that was taken over from an undone add.
  update sftp_keys k
  set desired = 'absent'
  from accounts a
  where k.added_by = p_id and k.desired = 'reserved' and a.id = k.account_id and not a.is_applied;
  delete from sftp_keys where added_by = p_id and desired = 'reserved';
end;
$$;
