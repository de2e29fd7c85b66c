-- Demands a second factor of all administrators and resellers, or no longer.  Sessions of owners
-- who have none end.
create or replace function panel.demand_second_factor(p_is_desired boolean)
returns void
language plpgsql volatile security definer
as $$
begin
  update server set demands_second_factor = p_is_desired;
  if p_is_desired then
    update sessions s
    set expires_at = now()
    where s.operator_id is not null and s.expires_at > now() and not exists (
      select from second_factors f
      where f.operator_id = s.operator_id and f.confirmed_at is not null);
  end if;
end;
$$;
grant execute on function panel.demand_second_factor to panel_api;
