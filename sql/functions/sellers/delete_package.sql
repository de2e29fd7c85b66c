-- Deletes a package from its seller's catalogue, unless an account uses it, along with the rows of
-- terminated accounts that had it. Returns deleted, used or unknown.
create or replace function panel.delete_package(p_seller_id bigint, p_name text)
returns text
language plpgsql volatile security definer
as $$
declare
  v_id bigint;
begin
  -- Every statement that gives an account this package locks it too (key share), so no use is
  -- overlooked.
  select id into v_id from packages where seller_id = p_seller_id and name = p_name for update;
  if not found then
    return 'unknown';
  end if;
  if is_package_used(v_id) then
    return 'used';
  end if;
  delete from accounts where package_id = v_id and state = 'terminated';
  delete from packages where id = v_id;
  return 'deleted';
end;
$$;
grant execute on function panel.delete_package to panel_api;
