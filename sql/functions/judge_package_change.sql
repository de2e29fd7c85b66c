-- Locks what a package change is judged by, and says how it would leave the seller's plan.
create or replace function panel.judge_package_change(p_account_id bigint, p_package_id bigint)
returns text
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_seller_id bigint;
begin
  select a.seller_id into strict v_seller_id from accounts a where a.id = p_account_id;
  perform from sellers s where s.id = v_seller_id for no key update;
  return plan_excess(v_seller_id, p_account_id, p_package_id);
end;
$$;

revoke execute on function panel.judge_package_change from public;
grant execute on function panel.judge_package_change to panel_api;
