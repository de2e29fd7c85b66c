-- Suspends a reseller, or ends its suspension, and returns since when it is suspended. No row if
-- there is no such reseller.
create or replace function panel.suspend_seller(p_name text, p_is_desired boolean)
returns table (suspended_at timestamptz)
language sql volatile security definer
as $$
  update sellers s
  set suspended_at = case when p_is_desired then coalesce(s.suspended_at, now()) end
  from operators o
  where o.name = p_name and o.role = 'reseller' and s.id = o.seller_id
  returning s.suspended_at;
$$;
grant execute on function panel.suspend_seller to panel_api;
