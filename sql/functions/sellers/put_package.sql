-- Creates or updates a package in a seller's catalogue; a limit that is null or left out keeps its
-- value, or the default. A job applies a changed package to all of its accounts. `excess` is how
-- the seller's accounts, or any one on the package, would exceed its plan (describe_excess); then
-- nothing is changed.
create or replace function panel.put_package(
  p_seller_id bigint,
  p_name text,
  p_limits jsonb,
  -- The operation that changes it; null for none.
  p_cause uuid default null,
  out id bigint,
  out is_new boolean,
  out excess jsonb
)
language plpgsql volatile security definer
as $$
declare
  v_plan   sellers%rowtype;
  v_before jsonb;
  v_alone  jsonb;
begin
  select * into strict v_plan from sellers s where s.id = p_seller_id for no key update;
  v_before := measure_overrun(p_seller_id);

  insert into packages as p (seller_id, name) values (p_seller_id, p_name)
  on conflict (seller_id, name) do nothing
  returning p.id into put_package.id;
  is_new := found;
  if not is_new then
    select p.id into put_package.id
    from packages p
    where p.seller_id = p_seller_id and p.name = p_name;
    v_alone := package_overrun(put_package.id);
  end if;

  perform set_package_limits(put_package.id, p_limits);

  -- A package that the plan allows no account to have is refused.
  excess := describe_excess(v_plan, package_overrun(put_package.id), v_alone);
  -- A package that no account uses may be changed before the seller has a plan.
  if excess is null and is_package_used(put_package.id) then
    excess := plan_excess(p_seller_id, v_before);
    update packages p set apply_cause = p_cause where p.id = put_package.id;
    perform enqueue_package(put_package.id, 0);
  end if;
  if excess is not null then
    raise exception using errcode = 'PLAN1';
  end if;
exception
  when sqlstate 'PLAN1' then
    id := null;
    is_new := null;
end;
$$;
grant execute on function panel.put_package to panel_api;
