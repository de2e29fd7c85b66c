-- Whom a customer asks whose session has ended because its account was suspended: its reseller's
-- address, null for an account of the house.  No row for any other session.
create or replace function panel.find_suspended(p_hash bytea, out contact text)
returns setof text
language sql stable security definer
as $$
  select o.email
  from sessions s
  -- The suspension has raised the epoch once.
  join accounts a on a.id = s.account_id and a.state = 'suspended'
    and a.sign_on_epoch = s.epoch + 1
  left join owners o on o.seller_id = a.seller_id and o.role = 'reseller'
  where s.hash = p_hash and s.expires_at > now() and s.revoked_at is null and s.parent_id is null
  limit 1;
$$;
grant execute on function panel.find_suspended to panel_api;
