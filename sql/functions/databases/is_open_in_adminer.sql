-- Returns whether a database is open in Adminer: it was requested within a minute, or used within
-- half an hour, and the session that requested it has not ended since.
create or replace function panel.is_open_in_adminer(p_database_id bigint)
returns boolean
language plpgsql stable strict security definer
as $$
begin
  return exists (
    select
    from adminer_sessions s
    join databases d on d.id = s.database_id
    join accounts a on a.id = d.account_id
    join sessions own on own.id = s.session_id and own.account_id = a.id
    left join sessions parent on parent.id = own.parent_id
    left join operators o on o.id = parent.operator_id
    left join sellers seller on seller.id = o.seller_id
    where s.database_id = p_database_id and d.desired = 'present'
      and a.state = 'active' and a.desired = 'active'
      and s.last_seen_at > now()
        - case when s.used_at is null then interval '1 minute' else interval '30 minutes' end
      and own.expires_at > now() and not is_session_void(own.id)
      and (parent.id is null or parent.expires_at > now())
      and seller.suspended_at is null);
end;
$$;
grant execute on function panel.is_open_in_adminer to panel_api;
