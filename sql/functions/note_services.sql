-- Stores the worker's warnings about services that all accounts share.
create or replace function panel.note_services(p_websites text, p_sftp text)
returns void
language sql volatile security definer
as $$
  update server
  set websites_warning = p_websites, sftp_warning = p_sftp
  where (websites_warning, sftp_warning) is distinct from (p_websites, p_sftp);
$$;
grant execute on function panel.note_services to panel_worker;
