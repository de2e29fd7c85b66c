-- Describes a caller: `token:7`, `session:9` or `root`, and before a session `operator:3` or
-- `account:5`.  No row if there is no such caller.  Only the owner of the schema asks as root.
create or replace function panel.describe_caller(
  p_caller text,
  out role text,
  out words text,
  out account_id bigint,
  out seller_id bigint
)
returns setof record
language plpgsql stable
as $$
declare
  v_kind text := split_part(p_caller, ':', 1);
  v_id   bigint;
begin
  -- The role of the session: inside of this function it is the owner's.
  if p_caller = 'root'
    and coalesce(nullif(current_setting('role'), 'none'), session_user) = 'panel_owner'
  then
    return query select 'administrator', 'root', null::bigint, s.id from sellers s where s.is_own;
    return;
  elsif p_caller !~ '^(token|session|operator|account):[0-9]+$' then
    raise exception 'no caller here is %', p_caller;
  end if;
  v_id := split_part(p_caller, ':', 2);
  case v_kind
    when 'token' then
      return query
        select w.role, w.name || ', token ' || t.name, null::bigint, w.seller_id
        from tokens t join operators w on w.id = t.operator_id
        where t.id = v_id;
    when 'session' then
      return query
        select coalesce(o.role, 'customer'),
          coalesce(o.name, a.username || coalesce(', signed in as by ' || by.name, '')),
          a.id, coalesce(o.seller_id, a.seller_id)
        from sessions s
        left join operators o on o.id = s.operator_id
        left join accounts a on a.id = s.account_id
        left join sessions parent on parent.id = s.parent_id
        left join operators by on by.id = parent.operator_id
        where s.id = v_id;
    when 'operator' then
      return query
        select o.role, o.name, null::bigint, o.seller_id from operators o where o.id = v_id;
    when 'account' then
      return query
        select 'customer', a.username, a.id, a.seller_id from accounts a where a.id = v_id;
  end case;
end;
$$;
