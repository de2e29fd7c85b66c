-- Sets a reseller's plan and returns its number; null if there is no such reseller. The checks of
-- the columns apply.
create or replace function panel.set_plan(
  p_name text,
  p_plan jsonb,
  out id bigint,
  -- The way in which its accounts already exceed the plan.
  out excess jsonb
)
language plpgsql volatile security definer
as $$
begin
  select o.seller_id into id from operators o where o.name = p_name and o.role = 'reseller';
  if id is not null then
    perform set_plan_limits(id, p_plan);
    excess := plan_excess(id);
  end if;
end;
$$;
grant execute on function panel.set_plan to panel_api;
