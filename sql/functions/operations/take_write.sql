-- Returns whether a session may request one more change: 60 at once, then one per second.
create or replace function panel.take_write(p_session_id bigint)
returns boolean
language plpgsql volatile security definer
as $$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  insert into session_writes as w values (p_session_id, v_now + interval '1 second')
  on conflict (session_id) do update
  set free_at = greatest(w.free_at, v_now) + interval '1 second'
  where w.free_at <= v_now + interval '59 seconds';
  return found;
end;
$$;
grant execute on function panel.take_write to panel_api;
