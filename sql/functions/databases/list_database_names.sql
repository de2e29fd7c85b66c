-- Returns the names of the databases that an account has.
create or replace function panel.list_database_names(p_account_id bigint)
returns text[]
language sql stable strict security definer
as $$
  select coalesce(array_agg(d.name order by d.name), '{}')
  from databases d
  where d.account_id = p_account_id and d.desired = 'present';
$$;
grant execute on function panel.list_database_names to panel_api;
