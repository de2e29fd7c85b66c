-- Marks a pool of workers as alive, for as long as this connection lasts (is_alive.sql). Each
-- role's locks have their own class: no role can make another's dead pool look alive.
create or replace function panel.lock_pool(p_pool_id text)
returns void
language plpgsql volatile security definer
as $$
begin
  case acting_role()
    when 'panel_worker' then
      perform pg_advisory_lock(7201, hashtext(p_pool_id));
    when 'panel_courier' then
      perform pg_advisory_lock(7203, hashtext(p_pool_id));
  end case;
end;
$$;
grant execute on function panel.lock_pool to panel_worker, panel_courier;
