-- Makes an operation due again where that is the panel's own affair: at once one that waits for its
-- next start, again a failed one whose name allows it (operation_names).  What a caller asked for
-- and was told of, is the caller's to repeat.  Returns `due` with the operation that goes on, or
-- why there is none: `waiting`, `begun`, `answered`, `failed` (of a caller), `again` (the panel
-- asks again), `gone`; null where there is no such operation.
create or replace function panel.retry_operation(p_id uuid, out outcome text, out id uuid)
language plpgsql volatile security definer
as $$
declare
  v_row operations%rowtype;
begin
  perform lock_lane((select o.lane from operations o where o.id = p_id));
  select * into v_row from operations o where o.id = p_id;
  -- Who holds a lane waits for nothing that has ended: a repeat may have it, and wants the lane.
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
