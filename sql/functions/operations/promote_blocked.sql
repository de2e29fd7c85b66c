-- Gives a lane's next blocked operation its turn, if nothing is in progress there. Internal: the
-- callers hold the lane lock.
create or replace function panel.promote_blocked(p_lane bigint)
returns boolean
language plpgsql volatile
as $$
declare
  v_next uuid;
begin
  if not exists (select from operations where lane = p_lane and state = 'blocked')
    or exists (
      select from operations
      where lane = p_lane and state in ('queued', 'running', 'undoing'))
  then
    return false;
  end if;

  perform fail_revoked(p_lane);
  select id into v_next
  from operations
  where lane = p_lane and state = 'blocked'
  order by arrival
  limit 1;
  if not found then
    return false;
  end if;
  perform enqueue_operation(v_next);
  return true;
end;
$$;
