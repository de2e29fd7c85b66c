-- Locks the row of a lane: an account's, or the server's (0). Every begin and end of an operation
-- holds it. Returns false if the row does not exist, or another transaction has it and the call
-- does not wait. Internal.
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
