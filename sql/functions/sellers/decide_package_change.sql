-- Locks the rows that decide a package change, and returns why it is refused, if it is: `refusal`
-- is package (deleted since the caller's look-up), the table in which the account has more than
-- `detail` rows (sites, databases) or plan, with `excess`.
create or replace function panel.decide_package_change(
  p_account_id bigint,
  p_package_id bigint,
  out refusal text,
  out detail text,
  out excess jsonb
)
language plpgsql volatile security definer
as $$
declare
  v_seller_id  bigint;
  v_package_id bigint;
begin
  select a.seller_id into strict v_seller_id from accounts a where a.id = p_account_id;
  perform from sellers s where s.id = v_seller_id for no key update;
  -- Held until the operation is written: after that it cannot be deleted.
  perform from packages p where p.id = p_package_id for key share;
  if not found then
    refusal := 'package';
    return;
  end if;

  -- An account that stays on a package that became smaller keeps its resources.
  perform lock_lane(p_account_id);
  select a.package_id into strict v_package_id from accounts a where a.id = p_account_id;
  if v_package_id <> p_package_id then
    select e.counted, e.max_count into refusal, detail
    from exceeded_count(p_account_id, p_package_id) e;
    if refusal is not null then
      return;
    end if;
  end if;

  excess := plan_excess(v_seller_id, measure_overrun(v_seller_id), p_account_id, p_package_id);
  if excess is not null then
    refusal := 'plan';
  end if;
end;
$$;
grant execute on function panel.decide_package_change to panel_api;
