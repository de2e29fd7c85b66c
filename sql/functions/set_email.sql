-- Gives an account another e-mail address, which no part of the machine knows.
create or replace function panel.set_email(p_account_id bigint, p_email text)
returns void
language sql volatile security definer
as $$
  update accounts set email = p_email where id = p_account_id;
$$;
grant execute on function panel.set_email to panel_api;
