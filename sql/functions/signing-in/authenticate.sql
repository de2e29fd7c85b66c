-- Does what authenticate_call does for the previous release, which knows no permissions: to it, a
-- token that is not for provisioning is unknown.
create or replace function panel.authenticate(
  p_hash bytea,
  p_address inet,
  p_limit integer,
  out verdict text,
  out token_id bigint,
  out operator_role text,
  out seller_id bigint,
  out remaining integer,
  out reset_s integer
)
language plpgsql volatile security definer
as $$
begin
  select case c.permission when 'Provisioning only' then c.verdict else 'unknown' end,
    c.token_id, c.operator_role, c.seller_id, c.remaining, c.reset_s
  into verdict, token_id, operator_role, seller_id, remaining, reset_s
  from authenticate_call(p_hash, p_address, p_limit) c;
end;
$$;
grant execute on function panel.authenticate to panel_api;
