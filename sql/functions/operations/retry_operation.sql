-- Makes an operation due again if the panel may do so: at once one that waits for its next start,
-- again a failed one whose name allows it (operation_names). A request whose caller got an answer
-- is left to the caller to repeat. Returns `due` with the operation that continues, or why there is
-- none: `waiting`, `begun`, `answered`, `failed` (of a caller), `again` (the panel repeats it),
-- `gone`; null if there is no such operation.
create or replace function panel.retry_operation(p_id uuid, out outcome text, out id uuid)
language plpgsql volatile security definer
as $$
declare
  v_row operations%rowtype;
begin
  perform lock_lane((select o.lane from operations o where o.id = p_id));
  select * into v_row from operations o where o.id = p_id;
  -- Never wait for a finished operation while holding a lane lock: a retry may hold its row and be
  -- waiting for the lane.
  if v_row.state not in ('done', 'failed') then
    select * into v_row from operations o where o.id = p_id for no key update;
  end if;

  if v_row.id is null then
    return;
  elsif v_row.state in ('claimed', 'blocked', 'queued') then
    outcome := 'waiting';
  elsif v_row.state in ('running', 'undoing') and v_row.due_at > now() then
    update operations o set due_at = now() where o.id = p_id;
    outcome := 'due';
    id := p_id;
  elsif v_row.state in ('running', 'undoing') then
    outcome := 'begun';
  elsif v_row.state = 'done' then
    outcome := 'answered';
  elsif v_row.key is not null then
    outcome := 'failed';
  elsif not exists (
    select from operation_names n where n.name = v_row.name and n.is_repeatable
  ) then
    outcome := 'again';
  else
    select r.operation into id from rebuild_accounts(array[v_row.account_id]) r;
    outcome := case when id is null then 'gone' else 'due' end;
  end if;
end;
$$;
grant execute on function panel.retry_operation to panel_api;
