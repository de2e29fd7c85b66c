-- Restores databases and their users to their state before an operation: added ones are deleted
-- from the machine, and those that never reached it are deleted at once. Internal:
-- revert_desired_state calls it.
create or replace function panel.restore_database(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
declare
  v_operation operations%rowtype;
begin
  select * into v_operation from operations where id = p_id;
  -- Closes a database that was not opened completely.
  delete from adminer_sessions where opened_by = p_id;
  if p_is_over then
    delete from database_users where added_by = p_id and desired = 'reserved';
    delete from databases where added_by = p_id and desired = 'reserved';
    return;
  elsif v_operation.name not like 'database/%' then
    -- A restore has created them again.
    update databases set desired = 'absent' where added_by = p_id and desired = 'present';
    update database_users set desired = 'absent' where added_by = p_id and desired = 'present';
    return;
  end if;

  update databases
  set desired = case when added_by is null then 'present' else 'absent' end
  where account_id = v_operation.account_id
    and (added_by = p_id or added_by is null and desired = 'absent');
  update database_users
  set desired = case when added_by is null then 'present' else 'absent' end
  where account_id = v_operation.account_id
    and (added_by = p_id or added_by is null and desired = 'absent');
  if v_operation.name = 'database/set-password' and v_operation.before ? 'hash' then
    update database_users
    set hash = v_operation.before ->> 'hash', is_set = false
    where id::text = v_operation.params ->> 'user_id' and account_id = v_operation.account_id;
  elsif v_operation.name = 'database/grant' and v_operation.before ? 'rights' then
    delete from database_grants g
    using database_users u
    where u.id = g.user_id and u.account_id = v_operation.account_id
      and u.id::text = v_operation.params ->> 'user_id'
      and g.database_id::text = v_operation.params ->> 'database_id';
    insert into database_grants (user_id, database_id, rights)
    select u.id, d.id, v_operation.before ->> 'rights'
    from database_users u
    join databases d on d.account_id = u.account_id
    where v_operation.before ->> 'rights' is not null
      and u.account_id = v_operation.account_id and u.id::text = v_operation.params ->> 'user_id'
      and d.id::text = v_operation.params ->> 'database_id';
  end if;
end;
$$;
