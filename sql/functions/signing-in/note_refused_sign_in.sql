-- Records a wrong password, or a wrong code after the right password. Guesses fill no table: each
-- name has one line an hour, and all together a thousand a day. Unknown names are not recorded:
-- people enter passwords there.
create or replace function panel.note_refused_sign_in(
  p_operator_id bigint,
  p_account_id bigint,
  p_address inet,
  p_what text
)
returns void
language plpgsql volatile security definer
as $$
declare
  v_name      text;
  v_seller_id bigint;
begin
  select o.name, case o.role when 'reseller' then o.seller_id end into v_name, v_seller_id
  from operators o where o.id = p_operator_id
  union all
  select a.username, a.seller_id from accounts a where a.id = p_account_id;
  if v_name is null then
    return;
  end if;
  -- Concurrent ones become one line.
  perform pg_advisory_xact_lock(-4);
  insert into history (channel, who, address, action, about, account_id, seller_id, outcome)
  select 'page', 'unknown', p_address, 'session/refuse', v_name || ', ' || p_what, p_account_id,
    v_seller_id, 'refused'
  where (
      select count(*) from history
      where action = 'session/refuse' and at > now() - interval '1 day') < 1000
    and not exists (
      select from history
      where action = 'session/refuse' and at > now() - interval '1 hour'
        and about = v_name || ', ' || p_what);
end;
$$;
grant execute on function panel.note_refused_sign_in to panel_api;
