-- Creates or updates a package of a seller's catalogue; a null leaves the default or the value.
create or replace function panel.put_package(
  p_seller_id bigint,
  p_name text,
  p_max_sites integer,
  p_disk_mb integer,
  p_memory_mb integer,
  p_cpu_percent integer,
  p_sftp boolean,
  out id bigint,
  out is_new boolean
)
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
begin
  insert into packages as p (seller_id, name) values (p_seller_id, p_name)
  on conflict (seller_id, name) do nothing
  returning p.id into put_package.id;
  is_new := found;

  update packages p
  set max_sites = coalesce(p_max_sites, p.max_sites),
    disk_mb = coalesce(p_disk_mb, p.disk_mb),
    memory_mb = coalesce(p_memory_mb, p.memory_mb),
    cpu_percent = coalesce(p_cpu_percent, p.cpu_percent),
    sftp = coalesce(p_sftp, p.sftp),
    updated_at = now()
  where p.seller_id = p_seller_id and p.name = p_name
  returning p.id into put_package.id;
end;
$$;

revoke execute on function panel.put_package from public;
grant execute on function panel.put_package to panel_api;
