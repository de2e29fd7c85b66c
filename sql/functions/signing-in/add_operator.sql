-- Adds an owner; a reseller becomes a seller of its own, still without a plan.  False where the
-- name is an owner's or an account's: both sign in by it.
create or replace function panel.add_operator(
  p_name text,
  p_role text,
  p_email text,
  p_password_hash text
)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_seller_id bigint;
begin
  if is_email(p_email) is not true then
    raise exception 'this is no e-mail address' using errcode = 'data_exception';
  end if;
  -- The lock under which accounts are created.
  perform pg_advisory_xact_lock(-3);
  if exists (select from operators where name = p_name)
    or exists (select from accounts where username = p_name and state <> 'terminated')
  then
    return false;
  end if;
  if p_role = 'reseller' then
    insert into sellers (is_own) values (false) returning id into v_seller_id;
  else
    select id into v_seller_id from sellers where is_own;
  end if;
  insert into operators (name, role, email, password_hash, seller_id)
  values (p_name, p_role, p_email, p_password_hash, v_seller_id);
  return true;
end;
$$;
grant execute on function panel.add_operator to panel_api;
