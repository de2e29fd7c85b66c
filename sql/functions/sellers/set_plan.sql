-- Sets a reseller's plan and returns its number; null if there is no such reseller. The checks of
-- the columns apply.
create or replace function panel.set_plan(
  p_name text,
  p_max_accounts integer,
  p_disk_mb bigint,
  p_max_sites bigint,
  p_memory_mb integer,
  p_cpu_percent integer,
  out id bigint,
  -- How its accounts already exceed the plan.
  out excess jsonb
)
language plpgsql volatile security definer
as $$
begin
  update sellers s
  set max_accounts = p_max_accounts, disk_mb = p_disk_mb, max_sites = p_max_sites,
    memory_mb = p_memory_mb, cpu_percent = p_cpu_percent
  from operators o
  where o.name = p_name and o.role = 'reseller' and s.id = o.seller_id
  returning s.id into id;
  if id is not null then
    excess := plan_excess(id);
  end if;
end;
$$;
grant execute on function panel.set_plan to panel_api;
