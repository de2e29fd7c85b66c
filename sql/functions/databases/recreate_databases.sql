-- Adds databases of a backup that an account has no longer, with their users, for an operation; see
-- recreate_restored.sql. Internal.
create or replace function panel.recreate_databases(p_id uuid, p_account_id bigint, p_rows jsonb)
returns boolean
language plpgsql volatile
as $$
declare
  v_one jsonb;
begin
  for v_one in select jsonb_array_elements(p_rows -> 'databases') loop
    insert into databases (account_id, name, added_by, desired)
    select p_account_id, v_one #>> '{}', p_id, 'present'
    where (select count(*) from databases where account_id = p_account_id)
        < (select min(p.max_databases) from packages_of(p_account_id) p)
    on conflict (name) do nothing;
  end loop;
  for v_one in
    select u
    from jsonb_array_elements(p_rows -> 'users') u
    where exists (
      select
      from jsonb_array_elements(u -> 'grants') g
      join databases d on d.name = g ->> 'database' and d.added_by = p_id)
  loop
    insert into database_users (account_id, name, hash, added_by, desired)
    select p_account_id, v_one ->> 'name', v_one ->> 'hash', p_id, 'present'
    where (select count(*) from database_users where account_id = p_account_id)
        < (select 5 * min(p.max_databases) from packages_of(p_account_id) p)
    on conflict (name) do nothing;
    insert into database_grants (user_id, database_id, rights)
    select u.id, d.id, g ->> 'rights'
    from jsonb_array_elements(v_one -> 'grants') g
    join databases d on d.name = g ->> 'database' and d.added_by = p_id
    join database_users u on u.name = v_one ->> 'name' and u.account_id = p_account_id
      and u.desired = 'present'
    on conflict do nothing;
  end loop;
  return exists (select from databases where account_id = p_account_id and added_by = p_id);
end;
$$;
