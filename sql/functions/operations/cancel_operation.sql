-- Ends an operation that has not started: its caller is notified, its key is free, nothing was
-- done. The rows that were added for it are deleted, and so are rows added outside the API. Returns
-- `cancelled`, or why it was not: `internal` if the panel itself requested it, `begun`, `ended`;
-- null if there is none.
create or replace function panel.cancel_operation(p_id uuid)
returns text
language plpgsql volatile security definer
as $$
declare
  v_lane bigint;
  v_row  operations%rowtype;
begin
  loop
    select lane into v_lane from operations where id = p_id;
    exit when not found;
    perform lock_lane(v_lane);
    -- The account whose names an abandoned claim reserves.
    perform lock_lane(account_id) from list_added() where added_by = p_id;
    -- Never wait for a finished operation while holding a lane lock: a retry may hold its row and
    -- be waiting for the lane.
    if (select state from operations where id = p_id) in ('done', 'failed') then
      return 'ended';
    end if;
    -- A repeat may have begun it in another lane since.
    select * into v_row
    from operations
    where id = p_id and lane is not distinct from v_lane
    for no key update;
    exit when found;
  end loop;

  if v_row.id is null then
    return null;
  elsif v_row.state not in ('claimed', 'blocked', 'queued') then
    return 'begun';
  elsif v_row.key is null then
    return 'internal';
  end if;

  update operations
  set state = 'failed', is_cancelled = true, epoch = epoch + 1, params = '{}',
    error = 'Cancelled before it began', finished_at = now()
  where id = p_id;
  perform release_lane(p_id, v_lane);
  -- The accounts that a claim reserved are unknown.
  if v_lane is not null or v_row.state = 'claimed' then
    perform erase_orphaned_accounts(1000, v_lane);
  end if;
  return 'cancelled';
end;
$$;
grant execute on function panel.cancel_operation to panel_api;
