-- Returns the databases of an account and their users for the machine, with the hashes of their
-- passwords; null if it has none.
create or replace function panel.account_databases(p_account_id bigint)
returns json
language plpgsql stable security definer
as $$
begin
  if not exists (select from databases d where d.account_id = p_account_id)
    and not exists (select from database_users u where u.account_id = p_account_id) then
    return null;
  end if;
  return json_build_object(
    'reservedMb', (select a.database_reserve_mb from accounts a where a.id = p_account_id),
    'databases', coalesce((
      select json_agg(
        json_build_object(
          'id', d.id::text, 'name', d.name, 'desired', d.desired, 'isNew', d.added_by is not null,
          'isFrozen', d.frozen_at is not null,
          'openHash', (
            select s.hash from adminer_sessions s
            where s.database_id = d.id and is_open_in_adminer(s.database_id)))
        order by d.id)
      from databases d
      where d.account_id = p_account_id and d.desired <> 'reserved'), '[]'),
    'users', coalesce((
      select json_agg(
        json_build_object(
          'name', u.name, 'hash', u.hash, 'isSet', u.is_set, 'desired', u.desired,
          'isNew', u.added_by is not null,
          'grants', coalesce((
            select json_agg(json_build_object('database', d.name, 'rights', g.rights) order by d.id)
            from database_grants g
            join databases d on d.id = g.database_id
            where g.user_id = u.id and d.desired = 'present'), '[]'))
        order by u.id)
      from database_users u
      where u.account_id = p_account_id and u.desired <> 'reserved'), '[]'));
end;
$$;
grant execute on function panel.account_databases to panel_worker;
