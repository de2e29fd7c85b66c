-- Applies all accounts that have mail domains again: once the server's mail is on. Internal.
create or replace function panel.apply_mail_accounts()
returns bigint[]
language sql volatile
as $$
  select apply_accounts(array(select account_id from mail_domains));
$$;
