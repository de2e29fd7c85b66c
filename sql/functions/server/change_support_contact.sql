-- Sets the contact that pages name for people who cannot sign in; null for none.
create or replace function panel.change_support_contact(p_contact text)
returns void
language sql volatile security definer
as $$
  update server set support_contact = p_contact;
$$;
grant execute on function panel.change_support_contact to panel_api;
