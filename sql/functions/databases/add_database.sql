-- Reserves the names of a database and of its first user, who has all rights, for an account and
-- the operation that creates them; or adds nothing and returns why: `refusal` is databases (the
-- package allows `allowed`), taken, or deleting (one of the name is still being deleted).
create or replace function panel.add_database(
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
declare
  v_user_id bigint;
begin
  name := decide_database(p_operation_id, p_account_id, p_suffix, p_hash) || '_' || p_suffix;
  select min(p.max_databases) into allowed from packages_of(p_account_id) p;
  select max(case s.desired when 'absent' then 'deleting' else 'taken' end) into refusal
  from (
    select d.desired from databases d where d.name = add_database.name
    union all
    select u.desired from database_users u where u.name = add_database.name) s;
  if refusal is null
    and (select count(*) from databases d where d.account_id = p_account_id) >= allowed then
    refusal := 'databases';
  end if;
  if refusal is not null then
    return;
  end if;

  insert into databases as d (account_id, name, added_by)
  values (p_account_id, add_database.name, p_operation_id)
  returning d.id into add_database.id;
  insert into database_users as u (account_id, name, hash, added_by)
  values (p_account_id, add_database.name, p_hash, p_operation_id)
  returning u.id into v_user_id;
  insert into database_grants (user_id, database_id, rights)
  values (v_user_id, add_database.id, 'all');
end;
$$;
grant execute on function panel.add_database to panel_api;
