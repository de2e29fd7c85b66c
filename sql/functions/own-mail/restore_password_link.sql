-- Makes a link usable again whose use changed nothing.
create or replace function panel.restore_password_link(p_hash bytea)
returns void
language sql volatile security definer
as $$
  update password_links set used_at = null where hash = p_hash;
$$;
grant execute on function panel.restore_password_link to panel_api;
