-- Stores the worker's warnings about services that all accounts share. Changes that MariaDB has
-- missed are applied again once it runs.
create or replace function panel.note_services(p_warnings jsonb)
returns void
language plpgsql volatile security definer
as $$
declare
  v_before constant jsonb := (select service_warnings from server);
begin
  update server set service_warnings = p_warnings where service_warnings <> p_warnings;
  if v_before ? 'databases' and not p_warnings ? 'databases' then
    perform apply_database_accounts();
  end if;
end;
$$;
grant execute on function panel.note_services to panel_worker;
