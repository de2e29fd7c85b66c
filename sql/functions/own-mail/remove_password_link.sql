-- Removes a link whose mail was not sent.
create or replace function panel.remove_password_link(p_hash bytea)
returns void
language sql volatile security definer
as $$
  delete from password_links where hash = p_hash;
$$;
grant execute on function panel.remove_password_link to panel_courier;
