-- Reserves the name of one more user of an account's databases for the operation that creates it;
-- or adds nothing and returns why: `refusal` is users (the account may have `allowed`), taken, or
-- deleting (one of the name is still being deleted).
create or replace function panel.add_database_user(
  p_operation_id uuid,
  p_account_id bigint,
  p_suffix text,
  p_hash text,
  out id bigint,
  out name text,
  out refusal text,
  out allowed integer
)
language plpgsql volatile security definer
as $$
begin
  name := decide_database(p_operation_id, p_account_id, p_suffix, p_hash) || '_' || p_suffix;
  -- Each has its own connections.
  select 5 * min(p.max_databases) into allowed from packages_of(p_account_id) p;
  select case u.desired when 'absent' then 'deleting' else 'taken' end into refusal
  from database_users u
  where u.name = add_database_user.name;
  if refusal is null
    and (select count(*) from database_users u where u.account_id = p_account_id) >= allowed then
    refusal := 'users';
  end if;
  if refusal is not null then
    return;
  end if;

  insert into database_users as u (account_id, name, hash, added_by)
  values (p_account_id, add_database_user.name, p_hash, p_operation_id)
  returning u.id into add_database_user.id;
end;
$$;
grant execute on function panel.add_database_user to panel_api;
