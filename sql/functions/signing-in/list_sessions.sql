-- Returns the active sessions of a session's user, most recently used first.
create or replace function panel.list_sessions(p_id bigint)
returns table (
  id bigint,
  address text,
  browser text,
  opened_at timestamptz,
  last_seen_at timestamptz,
  expires_at timestamptz,
  -- The owner who has signed in as the account.
  by text
)
language sql stable security definer
as $$
  select s.id, host(s.address), s.browser, s.created_at, s.last_seen_at, s.expires_at, o.name
  from sessions own
  join sessions s on s.operator_id = own.operator_id or s.account_id = own.account_id
  left join sessions parent on parent.id = s.parent_id
  left join operators o on o.id = parent.operator_id
  where own.id = p_id and s.expires_at > now() and not is_session_void(s.id)
    and (parent.id is null or parent.expires_at > now())
  order by s.last_seen_at desc, s.id desc;
$$;
grant execute on function panel.list_sessions to panel_api;
