-- Returns the state of an account and of the user that changes, for an operation about a database,
-- for its undo. Null if the operation may not start yet.
create or replace function panel.find_database(p_id uuid)
returns jsonb
language sql stable strict security definer
as $$
  select find_account(p_id) || coalesce((
    select jsonb_build_object(
      'hash', u.hash,
      'rights', (
        select g.rights
        from database_grants g
        where g.user_id = u.id and g.database_id::text = o.params ->> 'database_id'))
    from operations o
    join database_users u on u.id::text = o.params ->> 'user_id' and u.account_id = o.account_id
    where o.id = p_id), '{}');
$$;
grant execute on function panel.find_database to panel_worker;
