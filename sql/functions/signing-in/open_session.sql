-- Opens a session of an operator or an account and returns its number. Null if signing in is not
-- possible now: the account is not active, the operator's seller is suspended, the credentials that
-- `p_epoch` was seen with have changed, or the operator of the parent session doesn't see the
-- account.
create or replace function panel.open_session(
  -- SHA-256 of the browser's cookie.
  p_hash bytea,
  p_operator_id bigint,
  p_account_id bigint,
  -- Null uses the current one.
  p_epoch integer,
  p_address inet,
  p_browser text,
  p_is_link boolean default false,
  -- The token that requested the link.
  p_token_id bigint default null,
  -- The session of the owner who signs in as the account.
  p_parent_id bigint default null
)
returns bigint
language plpgsql volatile security definer
as $$
declare
  v_epoch   integer;
  v_ends_at timestamptz := now() + interval '7 days';
  v_id      bigint;
begin
  -- Nothing is locked: a session of the epoch before a change that commits meanwhile is void.
  if p_operator_id is not null then
    select o.credential_epoch into v_epoch
    from operators o join sellers s on s.id = o.seller_id
    where o.id = p_operator_id and s.suspended_at is null;
  else
    select a.sign_on_epoch into v_epoch
    from accounts a where a.id = p_account_id and a.state = 'active';
  end if;
  if v_epoch is null or v_epoch <> p_epoch then
    return null;
  end if;
  if p_parent_id is not null then
    select s.ends_at into v_ends_at
    from sessions s
    join operators o on o.id = s.operator_id
    join accounts a on a.id = p_account_id
    where s.id = p_parent_id and s.expires_at > now() and not is_session_void(s.id)
      and (o.role = 'administrator' or o.seller_id = a.seller_id);
    if not found then
      return null;
    end if;
    v_ends_at := least(v_ends_at, now() + interval '1 hour');
  end if;
  insert into sessions (
    hash, operator_id, account_id, epoch, token_id, parent_id, address, browser, expires_at,
    ends_at)
  values (
    p_hash, p_operator_id, p_account_id, v_epoch, p_token_id, p_parent_id, p_address,
    p_browser,
    least(now() + interval '12 hours', v_ends_at), v_ends_at)
  returning id into v_id;
  perform note_history(
    case
      when p_parent_id is not null then 'session:' || p_parent_id
      when p_operator_id is not null then 'operator:' || p_operator_id
      else 'account:' || p_account_id
    end,
    p_address,
    case
      when p_parent_id is not null then 'session/open-as'
      when p_is_link then 'session/open-by-link'
      else 'session/open'
    end,
    (select a.username from accounts a where a.id = p_account_id and p_parent_id is not null),
    p_account_id);
  return v_id;
end;
$$;
grant execute on function panel.open_session to panel_api;
