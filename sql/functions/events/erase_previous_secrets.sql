-- Erases the replaced secrets of webhooks whose overlap has ended, or that of one webhook at once;
-- returns how many.
create or replace function panel.erase_previous_secrets(p_id uuid default null)
returns integer
language plpgsql volatile security definer
as $$
declare
  v_count integer;
begin
  update webhooks
  set previous_secret = null, previous_until = null
  where previous_until is not null
    and (id = p_id or p_id is null and (previous_until <= now() or removed_at is not null));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
grant execute on function panel.erase_previous_secrets to panel_api, panel_courier;
