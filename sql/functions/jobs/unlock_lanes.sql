-- Gives lanes back that start_operation has taken for this session.  One that the
-- session does not have is left as it is.
create or replace function panel.unlock_lanes(p_lanes bigint[])
returns void
language plpgsql volatile security definer
as $$
begin
  perform pg_advisory_unlock(l.lane)
  from unnest(p_lanes) l (lane)
  where l.lane >= 0;
end;
$$;
grant execute on function panel.unlock_lanes to panel_worker;
