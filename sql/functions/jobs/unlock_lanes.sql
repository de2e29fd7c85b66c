-- Releases lanes that start_operation has locked for this session. A lane that the session does not
-- have is ignored.
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
