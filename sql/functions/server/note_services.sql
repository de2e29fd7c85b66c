-- Stores the worker's warnings about services that all accounts share.
create or replace function panel.note_services(
  p_websites text,
  p_sftp text,
  p_databases text default null,
  p_adminer text default null
)
returns void
language plpgsql volatile security definer
as $$
declare
  v_before text;
begin
  select databases_warning into v_before from server;
  update server
  set websites_warning = p_websites, sftp_warning = p_sftp, databases_warning = p_databases,
    adminer_warning = p_adminer
  where (websites_warning, sftp_warning, databases_warning, adminer_warning)
    is distinct from (p_websites, p_sftp, p_databases, p_adminer);
  if v_before is not null and p_databases is null then
    perform apply_database_accounts();
  end if;
end;
$$;
grant execute on function panel.note_services to panel_worker;
