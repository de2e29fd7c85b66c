-- Returns whose password a link changes; no row if it was used, has expired, or the password was
-- changed since it was sent. With `p_is_used` it is used up.
create or replace function panel.find_password_link(
  p_hash bytea,
  p_is_used boolean,
  out operator_id bigint,
  out account_id bigint,
  out name text,
  out role text,
  out epoch integer
)
returns setof record
language plpgsql volatile security definer
as $$
begin
  if p_is_used then
    -- The second of two that use it at once waits here, and finds it used.
    perform from password_links where hash = p_hash for no key update;
  end if;
  return query
    select l.operator_id, l.account_id, coalesce(o.name, a.username),
      coalesce(o.role, 'customer'), l.epoch
    from password_links l
    left join operators o on o.id = l.operator_id
    left join sellers s on s.id = o.seller_id
    left join accounts a on a.id = l.account_id
    where l.hash = p_hash and l.used_at is null
      and l.created_at > clock_timestamp() - interval '30 minutes'
      and l.epoch = coalesce(o.credential_epoch, a.sign_on_epoch)
      and s.suspended_at is null and (a.id is null or a.state = 'active');
  if p_is_used then
    update password_links set used_at = now() where hash = p_hash and used_at is null;
  end if;
end;
$$;
grant execute on function panel.find_password_link to panel_api;
