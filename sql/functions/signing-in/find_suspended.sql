-- Returns the contact for a session that is refused because of a suspension: the address of a
-- customer's reseller, null for a reseller and in the server's own catalogue. No row for any other
-- session.
create or replace function panel.find_suspended(p_hash bytea, out contact text)
returns setof text
language plpgsql stable security definer
as $$
begin
  return query
  select o.email
  from sessions s
  -- The suspension has raised the epoch once.
  join accounts a on a.id = s.account_id and a.state = 'suspended'
    and a.sign_on_epoch = s.epoch + 1
  left join operators o on o.seller_id = a.seller_id and o.role = 'reseller'
  where s.hash = p_hash and s.expires_at > now() and s.revoked_at is null and s.parent_id is null
  union all
  -- A reseller's sessions last through its suspension.
  select null
  from sessions s
  join operators o on o.id = s.operator_id
  join sellers seller on seller.id = o.seller_id and seller.suspended_at is not null
  where s.hash = p_hash and s.expires_at > now() and not is_session_void(s.id)
  limit 1;
end;
$$;
grant execute on function panel.find_suspended to panel_api;
