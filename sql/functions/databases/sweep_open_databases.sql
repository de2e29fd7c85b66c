-- Closes databases whose time in Adminer is over, by an operation that locks their internal users
-- again; returns how many. Internal.
create or replace function panel.sweep_open_databases()
returns integer
language plpgsql volatile
as $$
declare
  v_row   record;
  v_count integer := 0;
begin
  for v_row in
    select s.database_id, d.account_id
    from adminer_sessions s
    join databases d on d.id = s.database_id
    where not is_open_in_adminer(s.database_id)
    order by d.account_id
    limit 100
  loop
    continue when not lock_free_lane(v_row.account_id);
    -- Checked again under the lock: it may have been opened again meanwhile.
    delete from adminer_sessions
    where database_id = v_row.database_id and not is_open_in_adminer(database_id);
    if found then
      perform begin_internal(v_row.account_id, 'database/close');
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end;
$$;
