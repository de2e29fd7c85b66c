-- As lock_lane, for whoever holds many lanes in one transaction: it waits for none, as it would
-- hold up the others meanwhile, and may wait for somebody who waits for it.  False where somebody
-- else has the lane; one whose account is gone is free.  Internal.
create or replace function panel.lock_free_lane(p_lane bigint)
returns boolean
language plpgsql volatile
as $$
begin
  return p_lane is null or lock_lane(p_lane, false)
    or p_lane <> 0 and not exists (select from accounts where id = p_lane);
end;
$$;
