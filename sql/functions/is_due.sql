-- Whether a start of an operation is still the latest one and has not ended.  Volatile, so that it
-- sees what was committed up to its call: it is asked under a lock taken in the same statement.
create or replace function panel.is_due(p_id uuid, p_epoch integer)
returns boolean
language plpgsql volatile
set search_path = panel, pg_temp
as $$
begin
  return exists (
    select from operations
    where id = p_id and epoch = p_epoch and state in ('running', 'undoing'));
end;
$$;

revoke execute on function panel.is_due from public;
grant execute on function panel.is_due to panel_worker;
