-- The session of a cookie while it lasts, and whose it is.  Its use is noted once a minute, which
-- moves its end.
create or replace function panel.find_session(
  p_hash bytea,
  out id bigint,
  out role text,
  out seller_id bigint,
  out account_id bigint,
  out operator_id bigint,
  out name text,
  -- The name of the owner who has signed in as this account, if one has.
  out impersonator text
)
returns setof record
language plpgsql volatile security definer
as $$
declare
  v_last_seen timestamptz;
begin
  select s.id, coalesce(o.role, 'customer'), coalesce(o.seller_id, a.seller_id), a.id, o.id,
    coalesce(o.name, a.username), parent_operator.name, s.last_seen_at
  into id, role, seller_id, account_id, operator_id, name, impersonator, v_last_seen
  from sessions s
  left join operators o on o.id = s.operator_id
  left join accounts a on a.id = s.account_id
  left join sessions parent on parent.id = s.parent_id
  left join operators parent_operator on parent_operator.id = parent.operator_id
  where s.hash = p_hash and s.expires_at > now() and not is_session_void(s.id)
    and (a.id is null or a.state = 'active')
    and (parent.id is null or parent.expires_at > now())
    -- Neither a suspended reseller nor what it has signed in as.
    and not exists (
      select from sellers seller
      where seller.id = coalesce(o.seller_id, parent_operator.seller_id)
        and seller.suspended_at is not null);
  if not found then
    return;
  end if;
  if v_last_seen < now() - interval '1 minute' then
    update sessions s
    set last_seen_at = now(), expires_at = least(now() + interval '12 hours', s.ends_at)
    where s.id = find_session.id;
  end if;
  return next;
end;
$$;
grant execute on function panel.find_session to panel_api;
