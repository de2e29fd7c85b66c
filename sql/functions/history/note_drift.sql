-- Records the drift that an operation of a rebuild found, before it is repaired; drift that an
-- earlier start has recorded stays.
create or replace function panel.note_drift(
  p_id uuid,
  p_epoch integer,
  p_differed text[]
)
returns void
language plpgsql volatile security definer
as $$
begin
  -- Only information for an administrator: not worth a wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  update operations o
  set differed = p_differed
  where o.id = p_id and o.differed = '{}' and o.epoch = p_epoch and o.state = 'running';
end;
$$;
grant execute on function panel.note_drift to panel_worker;
