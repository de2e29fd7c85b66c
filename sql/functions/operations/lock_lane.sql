-- Locks the row that a lane is: an account's, or the server's (0).  Whoever begins or ends an
-- operation holds it.  False where the row is not there, or somebody has it and `p_is_patient` is
-- not.  Internal.
create or replace function panel.lock_lane(p_lane bigint, p_waits boolean default true)
returns boolean
language plpgsql volatile
as $$
begin
  if p_lane = 0 and p_waits then
    perform from server for no key update;
  elsif p_lane = 0 then
    perform from server for no key update skip locked;
  elsif p_waits then
    perform from accounts where id = p_lane for no key update;
  else
    perform from accounts where id = p_lane for no key update skip locked;
  end if;
  return found;
end;
$$;
