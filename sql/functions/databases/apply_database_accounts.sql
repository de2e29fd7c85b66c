-- Applies all accounts that have databases again: once MariaDB answers again, changes such as a
-- suspension have not reached it. Internal.
create or replace function panel.apply_database_accounts()
returns bigint[]
language sql volatile
as $$
  select apply_accounts(array(select account_id from databases));
$$;
