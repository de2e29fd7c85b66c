-- Returns how a seller's accounts exceed its plan further than before (describe_excess); null if
-- they do not. With an account and a package: as if that account had that package. The server's own
-- seller has no plan.
create or replace function panel.plan_excess(
  p_seller_id bigint,
  p_before jsonb default null,
  p_account_id bigint default null,
  p_package_id bigint default null
)
returns jsonb
language plpgsql stable
as $$
declare
  v_plan sellers%rowtype;
begin
  select * into strict v_plan from sellers where id = p_seller_id;
  if v_plan.is_own then
    return null;
  end if;
  if v_plan.max_accounts is null then
    return jsonb_build_object('limit', 'plan', 'allowed', null);
  end if;

  return describe_excess(
    v_plan, measure_overrun(p_seller_id, p_account_id, p_package_id), p_before);
end;
$$;
