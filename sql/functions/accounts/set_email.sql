-- Changes an account's e-mail address, which no part of the machine has.
create or replace function panel.set_email(p_account_id bigint, p_email text)
returns void
language plpgsql volatile security definer
as $$
begin
  if is_email(p_email) is not true then
    raise exception 'this is no e-mail address' using errcode = 'data_exception';
  end if;
  update accounts set email = p_email where id = p_account_id;
end;
$$;
grant execute on function panel.set_email to panel_api;
