-- Everybody's sessions that still last, the one used last first, for an administrator's session
-- that asks; no row for any other.
create or replace function panel.list_signed_in(p_by bigint, p_limit integer)
returns table (
  id bigint,
  name text,
  role text,
  address text,
  browser text,
  opened_at timestamptz,
  last_seen_at timestamptz,
  -- The owner who has signed in as the account.
  by text,
  total bigint
)
language sql stable security definer
as $$
  select s.id, coalesce(o.name, a.username), coalesce(o.role, 'customer'), host(s.address),
    s.browser, s.created_at, s.last_seen_at, by.name, count(*) over ()
  from sessions s
  left join operators o on o.id = s.operator_id
  left join accounts a on a.id = s.account_id
  left join sessions parent on parent.id = s.parent_id
  left join operators by on by.id = parent.operator_id
  where s.expires_at > now() and not is_session_void(s.id)
    and (a.id is null or a.state = 'active')
    and (parent.id is null or parent.expires_at > now())
    -- Sessions that a suspended reseller has opened are refused.
    and not exists (
      select from sellers seller
      where seller.id = coalesce(o.seller_id, by.seller_id) and seller.suspended_at is not null)
    and exists (
      select from sessions own join operators w on w.id = own.operator_id
      where own.id = p_by and w.role = 'administrator')
  order by s.last_seen_at desc, s.id desc
  limit p_limit;
$$;
grant execute on function panel.list_signed_in to panel_api;
