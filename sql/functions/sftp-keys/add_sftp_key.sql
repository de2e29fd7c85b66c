-- Stores a public key for an account and the operation that adds it; or adds nothing and returns
-- why: `refusal` is known or many.
create or replace function panel.add_sftp_key(
  p_operation_id uuid,
  p_account_id bigint,
  p_key text,
  p_comment text,
  p_max integer,
  out id bigint,
  out refusal text
)
language plpgsql volatile security definer
as $$
begin
  -- Concurrent requests cannot both take the last slot.
  perform lock_lane(p_account_id);
  if not exists (select from operations o where o.id = p_operation_id and o.state = 'claimed') then
    raise exception 'operation % is not claimed', p_operation_id;
  end if;

  -- A key whose add could not be undone at once, so that it was never the account's own. A key that
  -- is being removed counts as known until it is gone, as the removal may fail.
  update sftp_keys k set desired = 'reserved', comment = p_comment, added_by = p_operation_id
  where k.account_id = p_account_id and k.key = p_key and k.desired = 'absent'
    and k.added_by is not null
  returning k.id into id;
  if found then
    return;
  elsif exists (select from sftp_keys k where k.account_id = p_account_id and k.key = p_key) then
    refusal := 'known';
  elsif (select count(*) from sftp_keys k where k.account_id = p_account_id) >= p_max then
    refusal := 'many';
  else
    insert into sftp_keys as k (account_id, key, comment, added_by)
    values (p_account_id, p_key, p_comment, p_operation_id)
    returning k.id into id;
  end if;
end;
$$;
grant execute on function panel.add_sftp_key to panel_api;
