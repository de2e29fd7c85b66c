-- Records the desired state of a database or of its users, in the lane of their account, for a
-- started operation, and returns the account for the worker.
create or replace function panel.write_desired_database(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
  v_params     jsonb;
  v_user_id   bigint;
begin
  select * into v_operation from operations where id = p_id;
  v_params := v_operation.params;
  if v_operation.state = 'running' and not is_suspended_by_admin(p_id) then
    -- As text: a row may hold anything.
    select id into v_user_id
    from database_users
    where id::text = v_params ->> 'user_id' and account_id = v_operation.account_id;
    case v_operation.name
      when 'database/create' then
        update databases set desired = 'present' where added_by = p_id and desired = 'reserved';
        update database_users set desired = 'present'
        where added_by = p_id and desired = 'reserved';
      when 'database/drop' then
        update databases
        set desired = 'absent'
        where id::text = v_params ->> 'database_id' and account_id = v_operation.account_id;
      when 'database/set-password' then
        update database_users set hash = v_params ->> 'hash', is_set = false where id = v_user_id;
      when 'database/grant' then
        delete from database_grants
        where user_id = v_user_id and database_id::text = v_params ->> 'database_id';
        insert into database_grants (user_id, database_id, rights)
        select v_user_id, d.id, v_params ->> 'rights'
        from databases d
        where v_user_id is not null and v_params ->> 'rights' in ('all', 'read')
          and d.id::text = v_params ->> 'database_id' and d.account_id = v_operation.account_id
          and d.desired = 'present';
        update database_users
        set desired = 'present'
        where id = v_user_id and added_by = p_id and desired = 'reserved';
      when 'database/open' then
        insert into adminer_sessions as s
          (database_id, opened_by, session_id, ticket_hash, cookie_hash, hash)
        select d.id, p_id, v_operation.session_id, decode(v_params ->> 'ticket', 'hex'),
          decode(v_params ->> 'cookie', 'hex'), v_params ->> 'hash'
        from databases d
        where d.id::text = v_params ->> 'database_id' and d.account_id = v_operation.account_id
          and d.desired = 'present' and v_operation.session_id is not null
          and v_params ->> 'ticket' ~ '^[0-9a-f]{64}$' and v_params ->> 'cookie' ~ '^[0-9a-f]{64}$'
          and v_params ->> 'hash' ~ '^\*[0-9A-F]{40}$'
        -- Ends the session that had it open before.
        on conflict (database_id) do update set
          opened_by = excluded.opened_by, session_id = excluded.session_id,
          ticket_hash = excluded.ticket_hash, cookie_hash = excluded.cookie_hash,
          hash = excluded.hash, used_at = null, last_seen_at = now();
      when 'database/close' then
        delete from adminer_sessions s
        using databases d
        where d.id = s.database_id and d.id::text = v_params ->> 'database_id'
          and d.account_id = v_operation.account_id;
      else null;
    end case;
    -- Deletes a user without a database.
    update database_users u
    set desired = 'absent'
    where u.account_id = v_operation.account_id and u.desired = 'present' and not exists (
      select
      from database_grants g
      join databases d on d.id = g.database_id
      where g.user_id = u.id and d.desired = 'present');
  end if;
  return write_desired_account(p_id)::jsonb || jsonb_build_object(
    'rights', v_params ->> 'rights',
    'importId', substring(v_params ->> 'import' from '^[0-9a-f]{32}$'),
    'importFile', v_params ->> 'file',
    'database', (
      select d.name from databases d
      where d.id::text = v_params ->> 'database_id' and d.account_id = v_operation.account_id),
    'user', (
      select u.name from database_users u
      where u.id::text = v_params ->> 'user_id' and u.account_id = v_operation.account_id));
end;
$$;
grant execute on function panel.write_desired_database to panel_worker;
