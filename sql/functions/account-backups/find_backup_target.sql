-- Returns the state of a target of backups for an operation of the server that starts; null if the
-- operation may not start yet.
create or replace function panel.find_backup_target(p_id uuid)
returns jsonb
language sql stable strict security definer
as $$
  select '{}'::jsonb from operations o
  where o.id = p_id and o.state in ('queued', 'running', 'undoing');
$$;
grant execute on function panel.find_backup_target to panel_worker;
