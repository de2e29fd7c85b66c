-- Locks like lock_lane, for transactions that hold many lanes: it waits for none, as it would delay
-- the others meanwhile, and could deadlock. Returns false if another transaction has the lane; the
-- lane of a deleted account is free. Internal.
create or replace function panel.lock_free_lane(p_lane bigint)
returns boolean
language plpgsql volatile
as $$
begin
  return p_lane is null or lock_lane(p_lane, false)
    or p_lane <> 0 and not exists (select from accounts where id = p_lane);
end;
$$;
