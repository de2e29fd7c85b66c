-- Locks an account for one more of its databases or their users, for a claimed operation; returns
-- its username. Internal: add_database and add_database_user call it.
create or replace function panel.decide_database(
  p_operation_id uuid,
  p_account_id bigint,
  p_suffix text,
  p_hash text
)
returns text
language plpgsql volatile
as $$
declare
  v_username text;
begin
  -- Concurrent requests cannot both take the last slot.
  perform lock_lane(p_account_id);
  if not exists (select from operations o where o.id = p_operation_id and o.state = 'claimed') then
    raise exception 'operation % is not claimed', p_operation_id;
  end if;
  if (p_suffix ~ '^[a-z0-9]{1,16}$' and p_hash ~ '^\*[0-9A-F]{40}$') is not true then
    raise exception 'this is no database' using errcode = 'data_exception';
  end if;
  select a.username into strict v_username from accounts a where a.id = p_account_id;
  return v_username;
end;
$$;
