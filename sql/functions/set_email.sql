-- Gives an account another e-mail address, which no part of the machine knows.
create or replace function panel.set_email(p_account_id bigint, p_email text)
returns void
language sql volatile security definer
set search_path = panel, pg_temp
as $$
  update accounts set email = p_email where id = p_account_id;
$$;

revoke execute on function panel.set_email from public;
grant execute on function panel.set_email to panel_api;
